from __future__ import annotations

import gc
import json
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import pytest

from groundwire.audit.logs import audit_file
from groundwire.audit.report import Report, merged
from groundwire.audit.workers import pool as workers
from groundwire.audit.workers.pool import Pool, seldom_collecting
from groundwire.documents.policy import Policy

USER: dict[str, object] = {"role": "user", "content": "Restart the machine in bay 7."}
SAID = {"role": "assistant", "content": "Done."}


def asks(host: str) -> dict[str, object]:
    call = {"id": "c1", "name": "restart", "arguments": {"host": host}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def rows() -> bytes:
    """Runs with a finding each, rows that are none, and a conversation of a message a row."""
    done: dict[str, object] = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
    found: list[object] = [
        {"run_id": f"run-{n}", "messages": [USER, asks(f"heron-{n:03}"), done, SAID]}
        for n in range(9)
    ]
    found[3:3] = [7, {"no": "run"}]
    found[6:6] = [USER, asks("stork-12"), done]
    return "\n".join(map(json.dumps, found)).encode()


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "BATCH", 600)


def alone(data: bytes) -> Report:
    return merged(audit_file("log", data, schemas={}, policy=Policy(), arm_all=True))


def shared(pool: Pool, data: bytes) -> Report:
    return merged(pool.audit_file("log", data, schemas={}, policy=Policy(), arm_all=True))


class Dying(Executor):
    """Workers of which one dies with the third batch, after which none can be asked."""

    def __init__(self, *_: object, **__: object) -> None:
        self.asked = 0

    def submit(self, *given: object, **_: object) -> Future[Report]:  # type: ignore[override]  # asked in one way only
        self.asked += 1
        if self.asked > 4:
            raise BrokenProcessPool
        coming: Future[Report] = Future()
        if self.asked > 2:
            coming.set_exception(BrokenProcessPool())
        else:
            batch = given[1]
            assert isinstance(batch, workers.Batch)
            coming.set_result(workers.audit_batch(batch))
        return coming


def test_workers_say_what_one_process_says_in_its_order() -> None:
    data = rows()
    with Pool(2, large=0) as pool:
        report = shared(pool, data)
        assert isinstance(pool._executor, ProcessPoolExecutor)
    assert report == alone(data)
    assert [run.run for run in report.runs][-3:] == ["run-6", "run-7", "run-8"]
    assert len(report.problems) == 2
    assert len(report.findings) >= 10


def test_what_a_dead_worker_was_asked_is_audited_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "ProcessPoolExecutor", Dying)
    data = rows()
    with Pool(2, large=0) as pool:
        assert shared(pool, data) == alone(data)
        assert pool._executor is not None
        assert vars(pool._executor)["asked"] > 4


@pytest.mark.parametrize("error", [OSError, ImportError, RuntimeError])
def test_where_no_process_can_be_started_the_log_is_audited_here(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(workers, "ProcessPoolExecutor", refuse)
    data = rows()
    with Pool(2, large=0) as pool:
        assert shared(pool, data) == alone(data)


@pytest.mark.parametrize("pool", [Pool(1, large=0), Pool(8)], ids=["one-core", "small"])
def test_one_core_or_a_small_log_starts_no_process(pool: Pool) -> None:
    data = rows()
    with pool:
        assert shared(pool, data) == alone(data)
        assert pool._executor is None


def test_workers_start_deaf_to_the_interrupt_key_and_it_works_again_here() -> None:
    masks = []

    class Asked(Dying):
        def submit(self, *given: object, **_: object) -> Future[Report]:  # type: ignore[override]  # asked in one way only
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
            return super().submit(*given)

    pool = Pool(2, large=0)
    pool._executor = Asked()  # type: ignore[assignment]  # asked in one way only
    shared(pool, rows())
    assert all(signal.SIGINT in mask for mask in masks)
    assert masks
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_is_no_log_is_one_problem() -> None:
    with Pool(2, large=0) as pool:
        assert shared(pool, b"<xml/>") == alone(b"<xml/>")
        assert pool._executor is None


def test_garbage_is_looked_for_as_before_afterwards() -> None:
    before = gc.get_threshold()
    with seldom_collecting():
        assert gc.get_threshold() > before
    assert gc.get_threshold() == before
