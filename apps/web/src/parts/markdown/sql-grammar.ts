import type { HLJSApi, Language } from "highlight.js";

/**
 * SQL with the words that people write, those of SQLite, PostgreSQL and MySQL too. The library's
 * own grammar has those of the standard: twice as many, most of them never seen, and no `LIMIT`.
 */
export function sql(hljs: HLJSApi): Language {
  return {
    name: "SQL",
    case_insensitive: true,
    keywords: { keyword: KEYWORDS, type: TYPES, literal: "true false unknown" },
    contains: [
      { scope: "string", begin: /'/, end: /'/, contains: [{ match: /''/ }] },
      // Names, whatever words they are made of.
      { match: /"[^"]*"|`[^`]*`|\.\w+/ },
      { scope: "built_in", match: new RegExp(`\\b(?:${FUNCTIONS.replaceAll(" ", "|")})(?=\\s*\\()`) },
      { scope: "built_in", match: /\b(?:current_\w+|(?:session|system)_user|local(?:time|timestamp))\b/ },
      hljs.C_NUMBER_MODE,
      hljs.C_BLOCK_COMMENT_MODE,
      hljs.COMMENT("--", "$"),
    ],
  };
}

const KEYWORDS =
  "add all alter analyze and any as asc autoincrement auto_increment begin between by call cascade case check close collate column commit constraint copy create cross current cursor database declare default delete desc describe distinct do drop each else end except execute exists explain fetch filter first for foreign from full function generated grant group having if ilike in index inner insert instead intersect into is join key language last left like limit local lock loop match materialized merge natural new next no not nothing null nulls of offset old on only or order out outer over partition percent pragma prepare primary procedure range recursive references refresh release rename replace restrict returning returns return revoke right rollback row rows savepoint schema search select sequence set show some start strict table temp temporary then to transaction trigger truncate union unique update user using vacuum value values view virtual when where while window with within without";

const TYPES =
  "bigint bigserial binary bit blob bool boolean bytea char character clob date datetime dec decimal double enum float int integer interval json jsonb money nchar numeric nvarchar precision real serial smallint text time timestamp timestamptz timezone tinyint uuid varbinary varchar varying zone";

const FUNCTIONS =
  "abs array_agg avg cast ceil ceiling char_length coalesce concat concat_ws convert count date_part date_trunc datetime dense_rank exp extract first_value floor format generate_series greatest group_concat ifnull iif instr json_agg json_array json_arrayagg json_each json_extract json_object json_objectagg json_query json_value jsonb_agg lag last_value lead least length listagg ln log lower lpad ltrim max min mod now nth_value ntile nullif percent_rank percentile_cont percentile_disc position power random rank regexp_replace round row_number rpad rtrim sqrt stddev stddev_pop stddev_samp strftime string_agg substr substring sum to_char to_date translate trim unnest upper var_pop var_samp width_bucket";
