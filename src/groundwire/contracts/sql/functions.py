"""Functions: those whose call does nothing but give a value, and how a text calls them.

A function that is not listed may write, or reach outside of the database: nobody here has read it.
One of the same name that somebody made in a schema before `pg_catalog` is taken for the listed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from groundwire.contracts.sql.lexing import Token, folded_name, word_set
from groundwire.documents.sql import Dialect

_BOTH: Final = """
abs avg cast ceil ceiling coalesce concat concat_ws count cume_dist dense_rank exp first_value floor
format lag last_value lead length ln log log10 lower ltrim max min mod nth_value ntile nullif octet_length
percent_rank pi position power radians degrees random rank replace round row_number rtrim sign sqrt substr
substring sum trim trunc upper acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh
"""
_SQLITE: Final = """
changes char date datetime glob group_concat hex ifnull iif instr json json_array json_array_length
json_each json_error_position json_extract json_group_array json_group_object json_insert json_object
json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb
jsonb_array jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch
jsonb_remove jsonb_replace jsonb_set julianday last_insert_rowid like likelihood likely log2 ltrim printf
pow quote randomblob regexp rtrim soundex sqlite_version strftime string_agg subtype time timediff total
total_changes typeof unhex unicode unixepoch unlikely zeroblob bm25 highlight snippet generate_series
pragma_table_info pragma_table_xinfo pragma_table_list pragma_index_info pragma_index_list
pragma_index_xinfo pragma_foreign_key_list pragma_database_list pragma_collation_list
pragma_function_list pragma_compile_options
"""
_POSTGRESQL: Final = """
age array array_agg array_append array_cat array_dims array_fill array_length array_lower array_ndims
array_position array_positions array_prepend array_remove array_replace array_sample array_shuffle
array_to_json array_to_string array_upper ascii any_value bit_and bit_length bit_or bit_xor bool_and
bool_or btrim cardinality cbrt char_length character_length chr clock_timestamp col_description convert
convert_from convert_to corr covar_pop covar_samp current_database current_schema current_schemas currval
date_bin date_part date_trunc date_add date_subtract decode div encode every extract factorial gcd
gen_random_uuid generate_series generate_subscripts get_bit get_byte greatest grouping has_column_privilege
has_schema_privilege has_table_privilege host initcap isfinite json_agg json_array_elements
json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
json_extract_path json_extract_path_text json_object json_object_agg json_object_keys json_populate_record
json_populate_recordset json_strip_nulls json_to_record json_to_recordset json_typeof jsonb_agg
jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
jsonb_each jsonb_each_text jsonb_exists jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
jsonb_object_agg jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query
jsonb_path_query_array jsonb_path_query_first jsonb_populate_record jsonb_populate_recordset jsonb_pretty
jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days
justify_hours justify_interval lastval lcm least left lower_inc lower_inf lpad make_date make_interval
make_time make_timestamp make_timestamptz md5 min_scale mode multirange network normalize now
num_nonnulls num_nulls numrange int4range int8range daterange tsrange tstzrange obj_description overlay
parse_ident percentile_cont percentile_disc pg_column_size pg_database_size pg_get_constraintdef
pg_get_expr pg_get_indexdef pg_get_viewdef pg_indexes_size pg_relation_size pg_size_pretty
pg_table_is_visible pg_table_size pg_total_relation_size pg_typeof phraseto_tsquery plainto_tsquery
quote_ident quote_literal quote_nullable range_agg range_merge regexp_count regexp_instr regexp_like
regexp_match regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr
regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat reverse
right rpad row row_to_json rpad scale setseed setweight sha224 sha256 sha384 sha512 similarity split_part
starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array string_to_table
strip strpos timeofday timezone to_ascii to_char to_date to_hex to_json to_jsonb to_number to_regclass
to_regtype to_timestamp to_tsquery to_tsvector transaction_timestamp translate treat trim_array ts_headline
ts_rank ts_rank_cd unistr unnest upper_inc upper_inf uuid_generate_v4 uuidv4 uuidv7 var_pop var_samp
variance version websearch_to_tsquery width_bucket xmlagg xmlconcat xmlelement xmlforest point box circle
line lseg polygon
"""
PURE: Final[Mapping[Dialect, frozenset[str]]] = {
    "sqlite": word_set(_BOTH + _SQLITE),
    "postgresql": word_set(_BOTH + _POSTGRESQL),
}
"""Names of functions that give a value and do nothing else, by what they are spoken to.

`nextval` is not among them: nothing takes back the number that it takes of a sequence.
"""

_GRAMMAR: Final = """
ALL AND ANY AS BETWEEN CASE CUBE DISTINCT ELSE EXCEPT EXISTS FILTER FROM GROUP
GROUPING HAVING ILIKE IN INSERT INTERSECT INTO IS JOIN LATERAL LIKE LIMIT NOT OFFSET ON ONLY
OR ORDER OVER PARTITION RECURSIVE RETURNING ROLLUP ROWS SELECT SET SIMILAR SOME THEN UNION UPDATE
USING VALUES WHEN WHERE WINDOW WITH
BIT CHAR CHARACTER DEC DECIMAL FLOAT INTERVAL NCHAR NUMERIC TIME TIMESTAMP TIMESTAMPTZ TIMETZ VARBIT
VARCHAR
"""
_NOT_CALLED: Final = word_set(_GRAMMAR)
"""Words that may stand before a parenthesis and call nothing: of the grammar, and types."""
_ONLY_BEHIND: Final[Mapping[str, frozenset[str]]] = {
    "BY": frozenset({"GROUP", "ORDER", "PARTITION"}),
    "CONFLICT": frozenset({"ON"}),
    "MATERIALIZED": frozenset({"AS", "NOT"}),
    "SETS": frozenset({"GROUPING"}),
    "VARYING": frozenset({"BIT", "CHAR", "CHARACTER", "NCHAR"}),
}
"""Words of the grammar behind these alone; anywhere else a function may have their name."""
_BEFORE_COLUMNS: Final = frozenset({"AS", "INTO", "WITH", "RECURSIVE", ")", ","})

_EVALUATES_NOTHING: Final = word_set(
    """
    ANALYZE CLUSTER COMMENT DROP GRANT PRAGMA REINDEX REVOKE TRUNCATE VACUUM
    CALL COPY EXECUTE PREPARE
    """
)
"""Commands in which no function stands, or which are undecided whatever stands there."""
_BEFORE_DEFINED: Final = word_set(
    """
    EXISTS FOREIGN FUNCTION GLOBAL IF LOCAL MATERIALIZED NOT OR PROCEDURE RECURSIVE REPLACE TABLE TEMP
    TEMPORARY UNLOGGED VIEW VIRTUAL
    """
)
_OF_DEFINITIONS: Final = frozenset({"CHECK", "DEFAULT", "TABLE", "TO", "UNIQUE"})
_DEFINES_BEHIND: Final[Mapping[str, frozenset[str]]] = {
    "ENUM": frozenset({"AS"}),
    "HASH": frozenset({"BY"}),
    "IDENTITY": frozenset({"AS"}),
    "KEY": frozenset({"FOREIGN", "PRIMARY"}),
    "LIST": frozenset({"BY"}),
    "RANGE": frozenset({"BY"}),
}
_BEFORE_NAMED: Final = frozenset({"INTO", "REFERENCES"})
_INDEXES: Final = frozenset({"brin", "btree", "gin", "gist", "hash", "spgist"})
_MODULES: Final = frozenset({"fts3", "fts4", "fts5", "rtree", "rtree_i32"})
_TYPES_OF_SQLITE: Final = word_set(
    """
    BIGINT BLOB BOOLEAN CLOB DOUBLE INT INTEGER MEDIUMINT NVARCHAR PRECISION REAL SMALLINT TEXT TINYINT
    """
)


class _Call(NamedTuple):
    """A name before a parenthesis: it stands `at`, with its schema from `begins` on."""

    begins: int
    at: int
    name: str
    spelled: str
    pure: bool


def unknown_calls(
    tokens: Sequence[Token], dialect: Dialect, listed: Iterable[str] = ()
) -> Iterator[str]:
    """The name of each function that a query calls and that is not known to do nothing.

    As the text spells it, with its schema or without. `listed` are the tables and aliases whose columns
    are listed (`INTO t (a)`, `AS t (a)`, `) t (a)`), each as often as its columns are: what parsed
    the query found that. Any other name before a parenthesis is taken for a call.

    Does not see a call without parentheses (a column that is a function of its row), a cast, an
    operator, or what a view or a default calls.
    """
    left = Counter(listed)
    for call in _calls(tokens, dialect):
        if left[call.name] > 0 and _before(tokens, call.begins) in _BEFORE_COLUMNS:
            left[call.name] -= 1
        elif not call.pure:
            yield call.spelled


def unknown_calls_of_command(tokens: Sequence[Token], dialect: Dialect) -> Iterator[str]:
    """The same of a command: what it defines may run at once, or whenever somebody reads it.

    A name is taken for a call but where the grammar of definitions has no call. Does not look into texts
    (the code of a function), and has the limits of `unknown_calls`.
    """
    if not tokens or tokens[0].keyword in _EVALUATES_NOTHING:
        return
    defined = _defined(tokens)
    for call in _calls(tokens, dialect):
        if call.at in {0, *defined} or _is_of_definition(tokens, call, dialect):
            continue
        if not call.pure:
            yield call.spelled


def _calls(tokens: Sequence[Token], dialect: Dialect) -> Iterator[_Call]:
    """Names before a parenthesis that are none of the grammar's own."""
    for index, token in enumerate(tokens[:-1]):
        if tokens[index + 1].mark != "(" or token.kind not in {"word", "name"}:
            continue
        qualified = index > 1 and tokens[index - 1].mark == "."
        name = folded_name(token, dialect)
        if not qualified:
            before = _before(tokens, index)
            if token.keyword in _NOT_CALLED or before in _ONLY_BEHIND.get(token.keyword, ()):
                continue
            yield _Call(index, index, name, name, name in PURE[dialect])
            continue
        schema = folded_name(tokens[index - 2], dialect)
        pure = schema == "pg_catalog" and name in PURE[dialect]
        yield _Call(index - 2, index, name, f"{schema}.{name}", pure)


def _before(tokens: Sequence[Token], index: int) -> str:
    """The keyword or mark before this place; "" where there is none."""
    return (tokens[index - 1].keyword or tokens[index - 1].mark) if index else ""


def _defined(tokens: Sequence[Token]) -> Iterator[int]:
    """Where the last part of the name stands that is defined, or of the table that an index is on."""
    if tokens[0].keyword != "CREATE":
        return
    at = 1
    if _is_of_index(tokens):
        at = next((at + 1 for at, each in enumerate(tokens) if each.keyword == "ON"), len(tokens))
        at += tokens[at : at + 1] != () and tokens[at].keyword == "ONLY"
    else:
        while at < len(tokens) and tokens[at].keyword in _BEFORE_DEFINED:
            at += 1
    while at + 2 < len(tokens) and tokens[at + 1].mark == ".":
        at += 2
    yield at


def _is_of_index(tokens: Sequence[Token]) -> bool:
    return any(token.keyword == "INDEX" for token in tokens[1:3])


def _is_of_definition(tokens: Sequence[Token], call: _Call, dialect: Dialect) -> bool:
    """Whether the grammar of definitions has something else than a call there."""
    before, word = _before(tokens, call.begins), tokens[call.at].keyword
    if before in _BEFORE_NAMED:
        return True
    if call.begins != call.at or not word:
        return False
    if before == "USING" and _is_of_index(tokens):
        return call.name in _INDEXES
    if dialect == "sqlite":
        if word in _TYPES_OF_SQLITE:
            return True
        if before == "USING" and tokens[1].keyword == "VIRTUAL":
            return call.name in _MODULES
    return word in _OF_DEFINITIONS or before in _DEFINES_BEHIND.get(word, ())
