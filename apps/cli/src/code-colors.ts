import type { Paint, Style } from "./paint.ts";

/** A longer line is shown in one colour: it is data rather than something to read. */
const LINE_CHARS_MAX = 2_000;

/**
 * The lines of a block of code, coloured one after the other as they arrive. Only colours of the
 * terminal's own palette are used, and names and signs keep its usual one. It looks at words,
 * strings, numbers and comments, and at no more than a line and what a line before left open.
 */
export class CodeColors {
  readonly #grammar: Grammar;
  readonly #paint: Paint;
  /** What a line before began and did not end. */
  #open: Rule | undefined;

  private constructor(grammar: Grammar, paint: Paint) {
    this.#grammar = grammar;
    this.#paint = paint;
  }

  /** By what stands behind the fence; undefined where the language is not known here. */
  static of(fenceLine: string, paint: Paint): CodeColors | undefined {
    const [, name = ""] = /^\s*[`~]+\s*([\w+#-]+)/.exec(fenceLine) ?? [];
    const grammar = GRAMMARS.get(name.toLowerCase());
    return grammar && new CodeColors(grammar, paint);
  }

  line(text: string): string {
    if (text.length > LINE_CHARS_MAX) return text;
    let out = "";
    let at = 0;
    while (at < text.length) {
      const { style, end } = this.#next(text, at);
      const piece = text.slice(at, end);
      out += style === undefined ? piece : this.#paint(style, piece);
      at = end;
    }
    return out;
  }

  #next(text: string, at: number): { readonly style: Style | undefined; readonly end: number } {
    if (this.#open) return { style: this.#open.style, end: this.#endOf(this.#open, text, at) };
    const { rules, keywords, anyCase = false } = this.#grammar;
    for (const rule of rules) {
      const begun = matchAt(rule.begins, text, at);
      if (begun === "") continue;
      const after = at + begun.length;
      return { style: rule.style, end: rule.ends ? this.#endOf(rule, text, after) : after };
    }
    const word = matchAt(WORD, text, at);
    if (word === "") return { style: undefined, end: at + 1 };
    const isKeyword = keywords.has(anyCase ? word.toLowerCase() : word);
    return { style: isKeyword ? "magenta" : undefined, end: at + word.length };
  }

  /** Where it ends in this line; where it does not, the next line goes on with it. */
  #endOf(rule: Rule, text: string, from: number): number {
    const ends = rule.ends!;
    ends.lastIndex = from;
    const found = ends.exec(text);
    this.#open = found ? undefined : rule;
    return found ? found.index + found[0].length : text.length;
  }
}

interface Rule {
  readonly style: Style;
  /** Sticky. */
  readonly begins: RegExp;
  /** Global; for what may end in a later line. */
  readonly ends?: RegExp;
}

interface Grammar {
  readonly rules: readonly Rule[];
  readonly keywords: ReadonlySet<string>;
  readonly anyCase?: boolean;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(" ").split(" "));
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER: Rule = { style: "yellow", begins: /(?<![\p{L}_$])\d[\w.]*/uy };
const DOUBLE: Rule = { style: "green", begins: /"(?:[^"\\]|\\.)*"/y };
const SINGLE: Rule = { style: "green", begins: /'(?:[^'\\]|\\.)*'/y };
/** One character; elsewhere the sign begins a name. */
const CHARACTER: Rule = { style: "green", begins: /'(?:[^'\\]|\\[^']+|\\')'/y };
const BACKTICKS: Rule = { style: "green", begins: /`/y, ends: /(?<!\\)(?:\\\\)*`/g };
const SLASHES: Rule = { style: "dim", begins: /\/\/.*/y };
const STARRED: Rule = { style: "dim", begins: /\/\*/y, ends: /\*\//g };
const HASH: Rule = { style: "dim", begins: /#.*/y };
/** Where the sign can also stand in a word. */
const HASH_ALONE: Rule = { style: "dim", begins: /(?<![^\s;])#.*/y };
const TRIPLE: readonly Rule[] = [
  { style: "green", begins: /"""/y, ends: /"""/g },
  { style: "green", begins: /'''/y, ends: /'''/g },
];

const C_LIKE =
  "if else for while do switch case default break continue return new class static public private protected final abstract interface extends implements enum import package void true false null this super throw throws try catch finally const";

const script: Grammar = {
  rules: [SLASHES, STARRED, DOUBLE, SINGLE, BACKTICKS, NUMBER],
  keywords: words(
    C_LIKE,
    "let var function async await yield of in instanceof typeof delete export from as undefined get set type readonly declare namespace satisfies keyof infer",
  ),
};
const python: Grammar = {
  rules: [HASH, ...TRIPLE, DOUBLE, SINGLE, { style: "cyan", begins: /(?<=^\s*)@[\w.]+/y }, NUMBER],
  keywords: words(
    "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self",
  ),
};
const shell: Grammar = {
  rules: [
    HASH_ALONE,
    { style: "green", begins: /'[^']*'/y },
    DOUBLE,
    { style: "cyan", begins: /\$(?:\{[^}]*\}|\w+|[@#?*!$-])/y },
    { style: "yellow", begins: /(?<=\s)--?[\p{L}\d][\w-]*/uy },
  ],
  keywords: words(
    "if then else elif fi for while until do done case esac in function return exit local export set unset source alias cd echo sudo",
  ),
};
const json: Grammar = {
  rules: [
    { style: "cyan", begins: /"(?:[^"\\]|\\.)*"(?=\s*:)/y },
    DOUBLE,
    SLASHES,
    STARRED,
    { style: "yellow", begins: /-?\d[\d.eE+-]*/y },
  ],
  keywords: words("true false null"),
};
const yaml: Grammar = {
  rules: [
    HASH_ALONE,
    { style: "cyan", begins: /(?<=^[\s-]*)[\w./-]+(?=\s*:(?:\s|$))/y },
    DOUBLE,
    SINGLE,
    { style: "yellow", begins: /(?<=[\s[,])-?\d[\d.]*(?=\s*(?:[,\]]|$))/y },
  ],
  keywords: words("true false null yes no on off"),
};
const toml: Grammar = {
  rules: [
    HASH_ALONE,
    { style: "dim", begins: /(?<=^\s*);.*/y },
    { style: "magenta", begins: /(?<=^\s*)\[.*\]/y },
    { style: "cyan", begins: /(?<=^\s*)[\w."-]+(?=\s*=)/y },
    ...TRIPLE,
    DOUBLE,
    SINGLE,
    NUMBER,
  ],
  keywords: words("true false"),
};
const go: Grammar = {
  rules: [SLASHES, STARRED, DOUBLE, CHARACTER, { style: "green", begins: /`/y, ends: /`/g }, NUMBER],
  keywords: words(
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil error string int bool byte any",
  ),
};
const rust: Grammar = {
  rules: [SLASHES, STARRED, DOUBLE, CHARACTER, { style: "cyan", begins: /#!?\[[^\]]*\]/y }, NUMBER],
  keywords: words(
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  ),
};
const compiled: Grammar = {
  rules: [
    SLASHES,
    STARRED,
    ...TRIPLE,
    DOUBLE,
    CHARACTER,
    { style: "cyan", begins: /(?<=^\s*)#\s*\w+|@\w+/y },
    NUMBER,
  ],
  keywords: words(
    C_LIKE,
    "int long short char float double bool boolean byte unsigned signed struct union typedef sizeof extern inline goto auto namespace using template typename virtual override operator delete nullptr var val fun func let guard when is as in object data companion internal sealed record string params async await foreach protocol extension nil self init package instanceof synchronized",
  ),
};
const css: Grammar = {
  rules: [
    STARRED,
    DOUBLE,
    SINGLE,
    { style: "magenta", begins: /@[\w-]+|![a-z]+/y },
    { style: "cyan", begins: /(?<![\w-])[a-z-]+(?=\s*:\s)/y },
    { style: "yellow", begins: /#[\da-f]{3,8}\b|(?<![\w-])-?(?:\d*\.)?\d+(?:[a-z]+|%)?/iy },
  ],
  keywords: new Set(),
};
const markup: Grammar = {
  rules: [
    { style: "dim", begins: /<!--/y, ends: /-->/g },
    { style: "magenta", begins: /<[/!?]?[\w:-]+|[/?]?>/y },
    { style: "green", begins: /(?<==)(?:"[^"]*"|'[^']*')/y },
    { style: "cyan", begins: /(?<=\s)[\w:@.-]+(?==["'])/y },
  ],
  keywords: new Set(),
};
const sql: Grammar = {
  rules: [{ style: "dim", begins: /--.*/y }, STARRED, { style: "green", begins: /'(?:[^']|'')*'/y }, NUMBER],
  keywords: words(
    "select from where and or not in is null insert into values update set delete create table index view drop alter add column primary key foreign references unique default check join left right inner outer full cross on using group by order having limit offset union all distinct as case when then else end exists between like with recursive returning begin commit rollback asc desc if count sum min max avg integer text real blob varchar boolean timestamp true false",
  ),
  anyCase: true,
};
const ruby: Grammar = {
  rules: [HASH, DOUBLE, SINGLE, { style: "cyan", begins: /@{1,2}\w+|(?<![:\w]):\w+/y }, NUMBER],
  keywords: words(
    "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require puts attr_reader attr_accessor",
  ),
};
const php: Grammar = {
  rules: [
    SLASHES,
    STARRED,
    HASH_ALONE,
    DOUBLE,
    SINGLE,
    { style: "cyan", begins: /\$\w+|<\?php|\?>/y },
    NUMBER,
  ],
  keywords: words(
    C_LIKE,
    "function echo foreach as use namespace fn match trait array string int bool require",
  ),
};
const diff: Grammar = {
  rules: [
    { style: "bold", begins: /^(?:diff|index|\+\+\+|---) .*/y },
    { style: "cyan", begins: /^@@.*/y },
    { style: "green", begins: /^\+.*/y },
    { style: "red", begins: /^-.*/y },
  ],
  keywords: new Set(),
};
const dockerfile: Grammar = {
  rules: [HASH_ALONE, DOUBLE, SINGLE, { style: "cyan", begins: /\$(?:\{[^}]*\}|\w+)/y }],
  keywords: words(
    "FROM AS RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD HEALTHCHECK SHELL",
  ),
};

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  (
    [
      ["javascript js jsx mjs cjs typescript ts tsx mts cts", script],
      ["python py python3", python],
      ["bash sh shell zsh fish", shell],
      ["json jsonc json5 jsonl", json],
      ["yaml yml", yaml],
      ["toml ini conf env properties", toml],
      ["go golang", go],
      ["rust rs", rust],
      ["java c h cpp c++ cc hpp cs csharp c# kotlin kt swift scala dart", compiled],
      ["css scss less", css],
      ["html xml svg vue", markup],
      ["sql sqlite postgres postgresql mysql", sql],
      ["ruby rb", ruby],
      ["php", php],
      ["diff patch", diff],
      ["dockerfile docker", dockerfile],
    ] as const
  ).flatMap(([names, grammar]) => names.split(" ").map((name) => [name, grammar] as const)),
);
