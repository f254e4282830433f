from __future__ import annotations

from itertools import combinations

import msgspec
import pytest

from groundwire.documents.canonical import decode, encode
from groundwire.documents.decision import WORDS
from groundwire.documents.profile import Profile
from groundwire.errors import PolicyError
from groundwire.guard.profiles import DEFAULT, FACTS, PROFILES, judge, profile_named

OBSERVE, ENFORCE, STRICT = (PROFILES[name] for name in ("observe/1", "enforce/1", "strict/1"))


def test_every_profile_has_one_row_for_every_fact() -> None:
    for name, profile in PROFILES.items():
        assert profile.name == name
        assert tuple(row.fact for row in profile.rows) == FACTS


def test_no_row_of_strict_is_milder_than_that_of_another() -> None:
    for fact in FACTS:
        words = [WORDS.index(judge(profile, "allow", [fact]).word) for profile in PROFILES.values()]
        assert words == sorted(words), fact


def test_only_observation_lets_everything_pass() -> None:
    assert [profile.guards for profile in PROFILES.values()] == [False, True, True]
    assert DEFAULT == "enforce/1"


def test_no_fact_makes_a_word_milder_and_none_hides_another() -> None:
    for profile in PROFILES.values():
        for word in WORDS:
            for pair in combinations(FACTS, 2):
                judged = judge(profile, word, pair)
                single = [judge(profile, word, [fact]).word for fact in pair]
                assert WORDS.index(judged.word) == max(map(WORDS.index, single))
                assert WORDS.index(judged.word) >= WORDS.index(word)
                assert set(judged.residuals) == set(pair)


def test_a_fact_that_a_profile_has_no_row_for_is_refused() -> None:
    bare = msgspec.structs.replace(OBSERVE, rows=())
    assert judge(bare, "allow", ["non-atomic"]).word == "deny"


def test_missing_content_is_refused_and_uncontained_is_asked() -> None:
    assert judge(ENFORCE, "allow", ["content-missing"]).word == "deny"
    assert judge(ENFORCE, "allow", ["uncontained"]).word == "approve"
    assert judge(STRICT, "allow", ["uncontained"]).word == "deny"
    assert judge(ENFORCE, "allow", []).word == "allow"


@pytest.mark.parametrize("name", ["enforce", "strict/2", "", "ENFORCE/1"])
def test_a_profile_without_its_version_is_unknown(name: str) -> None:
    with pytest.raises(PolicyError) as refused:
        profile_named(name)
    assert refused.value.reason == "unknown-profile"


def test_a_profile_is_data() -> None:
    for profile in PROFILES.values():
        assert decode(encode(profile), Profile) == profile
