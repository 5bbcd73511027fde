/**
 * Code in colours: each language is a list of what is looked for, the first that fits at a place wins, and
 * names are looked up in lists of words. That is less than a reader of the language knows, and all that
 * `markdown.css` has colours for, at a tenth of a library's weight.
 */
export type Piece = readonly [scope: string, text: string];

/** What has a pattern gets a scope, none (""), is looked up as a word, or is read by rules of its own. */
type Rule = readonly [what: string | Language, pattern: RegExp];

interface Language {
  readonly rules: readonly Rule[];
  /** Scopes of words. */
  readonly words?: Readonly<Record<string, string>>;
  /** What the rest is. */
  readonly scope?: string;
  readonly anyCase?: boolean;
}

/** The pieces of a text, in order and whole; undefined where its language is not known here. */
export function coloured(text: string, language: string): readonly Piece[] | undefined {
  const known = LANGUAGES.get(language.toLowerCase());
  return known && piecesOf(text, known);
}

function piecesOf(text: string, { rules, words = {}, scope = "", anyCase }: Language): Piece[] {
  const pieces: Piece[] = [];
  const add = (what: string, piece: string) => {
    if (piece !== "") pieces.push([what, piece]);
  };
  const scopes = new Map(
    Object.entries(words).flatMap(([each, list]) => list.split(" ").map((word) => [word, each] as const)),
  );
  const any = rules.map(([, pattern]) => `(${pattern.source})`).join("|");
  let read = 0;
  for (const match of text.matchAll(new RegExp(any, anyCase ? "gim" : "gm"))) {
    const [found] = match;
    if (found === "") continue;
    add(scope, text.slice(read, match.index));
    read = match.index + found.length;
    const what = rules[match.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? "";
    if (typeof what !== "string") pieces.push(...piecesOf(found, what));
    else if (what === WORD) add(scopes.get(anyCase ? found.toLowerCase() : found) ?? scope, found);
    else add(what === "" ? scope : what, found);
  }
  add(scope, text.slice(read));
  return pieces;
}

const WORD = "word";

const QUOTED: Rule = ["string", /"(?:\\[^]|[^"\\\n])*"?/];
const APOSTROPHED: Rule = ["string", /'(?:\\[^]|[^'\\\n])*'?/];
const BACKTICKED: Rule = ["string", /`(?:\\[^]|[^`\\])*`?/];
const SLASHED: Rule = ["comment", /\/\/.*/];
const STARRED: Rule = ["comment", /\/\*[^]*?(?:\*\/|(?![^]))/];
const HASHED: Rule = ["comment", /(?<![\w$])#.*/];
const NUMBER: Rule = [
  "number",
  /(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][-+]?\d+)?)\w*/,
];
const NAMES: Rule = [WORD, /[A-Za-z_$\u00a1-\uffff][\w$\u00a1-\uffff]*/];
/** A name behind a dot is somebody's own. */
const MEMBER: Rule = ["", /(?<=\w|\)|\]|\?)\.[A-Za-z_$][\w$]*/];

function script(more: string): Language {
  return {
    rules: [
      SLASHED,
      STARRED,
      QUOTED,
      APOSTROPHED,
      BACKTICKED,
      [
        "regexp",
        /(?=\/)(?<=(?:[=(,:;!&|?{}[\n]|\breturn|^)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/,
      ],
      NUMBER,
      ["title", /(?<=\b(?:function\*?|class|interface|enum)\s+)[\w$]+/],
      ["title", /(?<=\b(?:const|let|var)\s+)[\w$]+(?=\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>)/],
      ["meta", /@[\w$]+/],
      MEMBER,
      NAMES,
    ],
    words: {
      keyword: `as async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var while with yield${more}`,
      literal: "true false null undefined NaN Infinity",
      built_in:
        "Array Boolean Date Error Function JSON Map Math Number Object Promise Proxy RegExp Set String Symbol WeakMap WeakSet console document fetch globalThis module process require setInterval setTimeout window",
      type: more === "" ? "" : "any bigint boolean never number object string symbol unknown void",
    },
  };
}

const JAVASCRIPT = script("");
const TYPESCRIPT = script(
  " abstract declare enum implements infer interface is keyof namespace override private protected public readonly satisfies type",
);

const PYTHON: Language = {
  rules: [
    HASHED,
    ["string", /(?:\b[rRbBfFuU]{1,2})?(?:"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^])))/],
    ["string", /(?:\b[rRbBfFuU]{1,2})?(?:"(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?)/],
    ["meta", /^[ \t]*@[\w.]+/],
    NUMBER,
    ["title", /(?<=\b(?:def|class)\s+)\w+/],
    MEMBER,
    NAMES,
  ],
  words: {
    keyword:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
    literal: "True False None Ellipsis NotImplemented",
    built_in:
      "abs all any bin bool bytes callable chr dict dir divmod enumerate eval exec filter float format frozenset getattr hasattr hash help hex id input int isinstance issubclass iter len list map max min next object open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip self",
  },
};

const BASH: Language = {
  rules: [
    HASHED,
    ["string", /"(?:\\[^]|[^"\\])*"?|'[^']*'?/],
    ["", /\$(?:\{[^}]*\}|\w+|[@#?*!$-])/],
    ["title", /\b[\w-]+(?=\s*\(\))/],
    ["", /-{1,2}[\w-]+|[\w.]*[/.=][\w./-]*|\w+-[\w-]+/],
    NUMBER,
    NAMES,
  ],
  words: {
    keyword: "if then else elif fi for while until in do done case esac function select",
    literal: "true false",
    built_in:
      "alias awk bg break cat cd chmod chown command continue cp curl cut date declare dirname docker echo env eval exec exit export fg find getopts git grep head jobs kill ln local ls make mkdir mktemp mv node npm npx pip printf ps pwd python read readonly return rm rmdir sed set shift sleep sort source ssh sudo tail tar tee test touch tr trap type ulimit umask unalias uniq unset wait wc wget which xargs",
  },
};

const GO: Language = {
  rules: [
    SLASHED,
    STARRED,
    QUOTED,
    APOSTROPHED,
    BACKTICKED,
    NUMBER,
    ["title", /(?<=\bfunc\s+(?:\([^()]*\)\s*)?)\w+/],
    MEMBER,
    NAMES,
  ],
  words: {
    keyword:
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
    literal: "true false iota nil",
    type: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
    built_in:
      "append cap clear close complex copy delete imag len make max min new panic print println real recover",
  },
};

const JAVA: Language = {
  rules: [
    SLASHED,
    STARRED,
    ["string", /"""[^]*?(?:"""|(?![^]))/],
    QUOTED,
    APOSTROPHED,
    ["meta", /@(?!interface\b)\w+/],
    NUMBER,
    ["type", /\b[A-Z]\w*(?=\s+\w+\s*\()/],
    ["title", /(?<=\b(?:class|interface|enum|record)\s+)\w+/],
    MEMBER,
    NAMES,
  ],
  words: {
    keyword:
      "abstract assert break case catch class const continue default do else enum exports extends final finally for if implements import instanceof interface module native new non-sealed package permits private protected public record requires return sealed static strictfp switch synchronized throw throws transient try var volatile while yield",
    literal: "true false null",
    type: "boolean byte char double float int long short void",
    built_in: "super this",
  },
};

const RUST: Language = {
  rules: [
    SLASHED,
    STARRED,
    ["string", /\bb?r(?:"[^"]*"?|#+"[^]*?(?:"#+|(?![^])))/],
    ["string", /\bb?"(?:\\[^]|[^"\\])*"?/],
    QUOTED,
    ["string", /b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'/],
    ["symbol", /'\w+/],
    ["meta", /#!?\[[^\]\n]*\]/],
    NUMBER,
    ["built_in", /\b\w+!(?!=)/],
    ["title", /(?<=\b(?:fn|struct|enum|trait|mod)\s+)\w+/],
    MEMBER,
    NAMES,
  ],
  words: {
    keyword:
      "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type union unsafe use where while",
    literal: "true false Some None Ok Err",
    type: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Box Option Result String Vec",
    built_in: "Clone Copy Debug Default Drop Eq Fn FnMut FnOnce From Into Iterator Send Sync drop",
  },
};

const JSON_TEXT: Language = {
  rules: [
    SLASHED,
    STARRED,
    ["", /"(?:\\.|[^"\\\n])*"(?=\s*:)/],
    QUOTED,
    ["number", /-?\b\d[\d.eE+-]*/],
    NAMES,
  ],
  words: { keyword: "true false null" },
};

const YAML: Language = {
  rules: [
    ["comment", /(?:^|(?<=\s))#.*/],
    ["meta", /^(?:---|\.\.\.)\s*$|^%.*/],
    ["", /(?:^|(?<=[\s{,]))(?:"[^"\n]*"|'[^'\n]*'|[^\s#"'{}[\],&*!|>%@-][^\n#{}[\],:]*)(?=:(?:\s|$))/],
    ["string", /(?<=(?::|-|[[,])\s+)(?:"(?:\\.|[^"\\])*"?|'[^']*'?)/],
    ["string", /(?<=[:-]\s)[|>][-+]?\d?[ \t]*$/],
    ["meta", /(?<=\s)[&*][\w-]+/],
    ["type", /(?<=\s)![\w!:.,/-]*/],
    ["number", /(?<=(?:[:-]|[[,])\s+)-?\d[\d_.]*(?:e[+-]?\d+)?(?=\s*(?:$|[#,\]}]))/],
    ["literal", /(?<=(?:[:-]|[[,])\s+)(?:true|false|yes|no|on|off|null|~)(?=\s*(?:$|[#,\]}]))/],
    ["string", /(?<=(?:[:-])\s+)[^\s#"'{}[\],&*!|>%@-][^\n#]*?(?=\s*(?:$|#))/],
  ],
};

const MARKDOWN: Language = {
  rules: [
    ["section", /^#{1,6}[ \t].*/],
    ["", /^(?:```|~~~)[^]*?(?:^(?:```|~~~)|(?![^]))|`[^`\n]*`/],
    ["quote", /^>.*/],
    ["strong", /\*\*[^*\n]+\*\*|__[^_\n]+__/],
    ["emphasis", /(?<![\w*])\*[^*\s][^*\n]*\*|(?<![\w_])_[^_\s][^_\n]*_/],
    [{ rules: [["string", /(?<=\[)[^\]]+/]] }, /!?\[[^\]\n]*\](?=[([])/],
  ],
};

const TAG: Language = {
  scope: "tag",
  rules: [QUOTED, ["string", /'[^']*'?/]],
};
const XML: Language = {
  rules: [
    ["comment", /<!--[^]*?(?:-->|(?![^]))/],
    ["meta", /<!\[CDATA\[[^]*?\]\]>|<[!?][^>]*>/],
    [TAG, /<\/?[A-Za-z][\w:.-]*(?:"[^"]*"|'[^']*'|[^"'<>])*>/],
    ["symbol", /&(?:#\w+|\w+);/],
  ],
};

const DIFF: Language = {
  rules: [
    ["meta", /^@@ .*|^(?:\*\*\*|---) \d+(?:,\d+)? (?:\*{4}|-{4})$/],
    ["comment", /^(?:Index|index|diff|={3,}|-{3}|\*{3}|\+{3}|\*{5,}).*/],
    ["addition", /^[+!].*/],
    ["deletion", /^-.*/],
  ],
};

/**
 * SQL with the words that people write, those of SQLite, PostgreSQL and MySQL too; names are left alone,
 * whatever words they are made of.
 */
const SQL: Language = {
  anyCase: true,
  rules: [
    ["comment", /--.*/],
    STARRED,
    ["string", /'(?:''|[^'])*'?/],
    ["", /"[^"]*"|`[^`]*`|\.[a-z_]\w*/],
    [
      "built_in",
      /\b(?:abs|array_agg|avg|cast|ceil|ceiling|char_length|coalesce|concat|concat_ws|convert|count|date_part|date_trunc|datetime|dense_rank|exp|extract|first_value|floor|format|generate_series|greatest|group_concat|ifnull|iif|instr|json_agg|json_array|json_arrayagg|json_each|json_extract|json_object|json_objectagg|json_query|json_value|jsonb_agg|lag|last_value|lead|least|length|listagg|ln|log|lower|lpad|ltrim|max|min|mod|now|nth_value|ntile|nullif|percent_rank|percentile_cont|percentile_disc|position|power|random|rank|regexp_replace|round|row_number|rpad|rtrim|sqrt|stddev|stddev_pop|stddev_samp|strftime|string_agg|substr|substring|sum|to_char|to_date|translate|trim|unnest|upper|var_pop|var_samp|width_bucket)(?=\s*\()/,
    ],
    ["built_in", /\b(?:current_\w+|(?:session|system)_user|local(?:time|timestamp))\b/],
    NUMBER,
    NAMES,
  ],
  words: {
    keyword:
      "add all alter analyze and any as asc autoincrement auto_increment begin between by call cascade case check close collate column commit constraint copy create cross current cursor database declare default delete desc describe distinct do drop each else end except execute exists explain fetch filter first for foreign from full function generated grant group having if ilike in index inner insert instead intersect into is join key language last left like limit local lock loop match materialized merge natural new next no not nothing null nulls of offset old on only or order out outer over partition percent pragma prepare primary procedure range recursive references refresh release rename replace restrict returning returns return revoke right rollback row rows savepoint schema search select sequence set show some start strict table temp temporary then to transaction trigger truncate union unique update user using vacuum value values view virtual when where while window with within without",
    type: "bigint bigserial binary bit blob bool boolean bytea char character clob date datetime dec decimal double enum float int integer interval json jsonb money nchar numeric nvarchar precision real serial smallint text time timestamp timestamptz timezone tinyint uuid varbinary varchar varying zone",
    literal: "true false unknown",
  },
};

const CSS_STRINGS: readonly Rule[] = [QUOTED, APOSTROPHED];
const CSS_CALL: Rule = ["built_in", /(?<![\w-])[a-z-]+(?=\()/];
const CSS_NUMBER: Rule = ["number", /[-+]?(?:\d*\.)?\d+(?:[a-z]+|%)?/];

/** A property with its value; the first of its names is the property's. */
const CSS_VALUE: Language = {
  anyCase: true,
  rules: [
    ["", /^[\w-]+\s*:/],
    STARRED,
    ...CSS_STRINGS,
    [
      {
        rules: [
          ["built_in", /^url/],
          ["string", /(?<=\()[^]+/],
        ],
      },
      /\burl\([^)"']+/,
    ],
    CSS_CALL,
    ["number", /#[\da-f]{3,8}\b/],
    ["meta", /!important/],
    // Digits in a name are no number.
    ["", /-{0,2}[a-z_][\w-]*/],
    CSS_NUMBER,
  ],
};

/** CSS by where its words stand: a list of all properties and elements would be longer than all of this. */
const CSS: Language = {
  anyCase: true,
  rules: [
    STARRED,
    [
      {
        anyCase: true,
        rules: [
          ["keyword", /^@[\w-]+/],
          ["", /(?<![\w-])[\w-]+(?=\s*:)/],
          STARRED,
          ...CSS_STRINGS,
          CSS_CALL,
          CSS_NUMBER,
          [WORD, /[a-z-]+/],
        ],
        words: { keyword: "and or not only" },
      },
      /@[\w-]+(?:"[^"]*"|'[^']*'|[^{;"'])*/,
    ],
    // `a: b` is a property with its value, unless a block begins behind it: then `a:b` is a selector.
    [CSS_VALUE, /(?<![\w-])[\w-]+\s*:(?!(?:[^;{}"']|"[^"]*"|'[^']*')*\{)(?:[^;}"']|"[^"\n]*"?|'[^'\n]*'?)*/],
    ["", /[.#:]+[\w-]+/],
    [{ rules: CSS_STRINGS }, /\[[^\]]*\]/],
    ["selector-tag", /[a-z][\w-]*/],
    CSS_NUMBER,
  ],
};

/** By the names that people write behind a fence. */
const LANGUAGES: ReadonlyMap<string, Language> = new Map(
  (
    [
      [BASH, "bash sh shell zsh console"],
      [CSS, "css"],
      [DIFF, "diff patch"],
      [GO, "go golang"],
      [JAVA, "java jsp"],
      [JAVASCRIPT, "javascript js jsx mjs cjs"],
      [JSON_TEXT, "json jsonc json5"],
      [MARKDOWN, "markdown md mkdown mkd"],
      [PYTHON, "python py gyp ipython"],
      [RUST, "rust rs"],
      [SQL, "sql"],
      [TYPESCRIPT, "typescript ts tsx mts cts"],
      [XML, "xml html xhtml rss atom xjb xsd xsl plist wsf svg"],
      [YAML, "yaml yml"],
    ] as const
  ).flatMap(([language, names]) => names.split(" ").map((name) => [name, language] as const)),
);
