"""Functions: those whose call does nothing but give a value, and how a text calls them.

A function that is not listed may write, or reach outside of the database: nobody here has read it.
One of the same name that somebody made in a schema before `pg_catalog` is taken for the listed one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

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
make_time make_timestamp make_timestamptz md5 min_scale mode multirange network nextval normalize now
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

`nextval` is among them though it takes a number of a sequence: so does an insert that names none.
"""

_GRAMMAR: Final = """
ALL AND ANY AS BETWEEN BY CASE CONFLICT CUBE DISTINCT ELSE EXCEPT EXISTS EXCLUDE FILTER FROM GROUP
GROUPING HAVING ILIKE IN INSERT INTERSECT INTO IS JOIN LATERAL LIKE LIMIT MATERIALIZED NOT OF OFFSET ON ONLY
OR ORDER OVER PARTITION RECURSIVE RETURNING ROLLUP ROWS SELECT SET SETS SIMILAR SOME THEN UNION UPDATE
USING VALUES WHEN WHERE WINDOW WITH
BIT CHAR CHARACTER DEC DECIMAL FLOAT INTERVAL NCHAR NUMERIC TIME TIMESTAMP TIMESTAMPTZ TIMETZ VARBIT
VARCHAR VARYING
"""
_NOT_CALLED: Final = word_set(_GRAMMAR)
"""Words that may stand before a parenthesis and call nothing: of the grammar, and types."""

_BEFORE_A_NAME: Final = frozenset({"AS", "INTO", "WITH", "RECURSIVE"})
_BEGINS_QUERY: Final = frozenset(
    {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "WITH"}
)


def unknown_calls(tokens: Sequence[Token], dialect: Dialect) -> Iterator[str]:
    """The name of each function that the text calls and that is not known to do nothing.

    As the text spells it, with its schema or without.

    Does not see a call without parentheses (a column that is a function of its row), a cast, an
    operator, or what a view or a default calls.
    """
    for index, token in enumerate(tokens[:-1]):
        if tokens[index + 1].mark != "(" or token.kind not in {"word", "name"}:
            continue
        qualifier = _qualifier(tokens, index, dialect)
        name = folded_name(token, dialect)
        if qualifier is None:
            if token.keyword in _NOT_CALLED or _is_list_of_columns(tokens, index):
                continue
        elif _is_list_of_columns(tokens, index - 2):
            continue
        if name not in PURE[dialect] or qualifier not in {None, "pg_catalog"}:
            yield name if qualifier is None else f"{qualifier}.{name}"


def _qualifier(tokens: Sequence[Token], index: int, dialect: Dialect) -> str | None:
    if index < 2 or tokens[index - 1].mark != ".":
        return None
    return folded_name(tokens[index - 2], dialect)


def _is_list_of_columns(tokens: Sequence[Token], index: int) -> bool:
    """Whether columns of a table or of an alias are listed: `INTO t (a)`, `AS t (a)`, `) t (a)`."""
    if index < 1:
        return False
    before = tokens[index - 1]
    if before.keyword in _BEFORE_A_NAME or before.mark == ")":
        return True
    return before.mark == "," and _is_named_query(tokens, index + 1)


def _is_named_query(tokens: Sequence[Token], index: int) -> bool:
    """Whether `(a, b) AS (SELECT` begins here: a query that is named after another one."""
    depth = 0
    while index < len(tokens):
        depth += {"(": 1, ")": -1}.get(tokens[index].mark, 0)
        index += 1
        if not depth:
            break
    following = [token for token in tokens[index : index + 5] if token.kind != "name"]
    words = [token.keyword or token.mark for token in following]
    words = [word for word in words if word not in {"NOT", "MATERIALIZED"}]
    return words[:2] == ["AS", "("] and len(words) > 2 and words[2] in _BEGINS_QUERY
