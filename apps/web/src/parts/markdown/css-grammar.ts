import type { HLJSApi, Language, Mode } from "highlight.js";

/**
 * CSS by where its words stand. The library's own grammar goes by lists of all properties,
 * elements and pseudo-classes, which weigh as much as six other languages together, and it
 * leaves out what is newer than they are.
 */
export function css(hljs: HLJSApi): Language {
  const strings = [hljs.APOS_STRING_MODE, hljs.QUOTE_STRING_MODE];
  const comment = hljs.C_BLOCK_COMMENT_MODE;
  const number: Mode = { scope: "number", match: /[-+]?(?:\d*\.)?\d+(?:[a-z]+|%)?/ };
  const call: Mode = { scope: "built_in", match: /(?<![\w-])[a-z-]+(?=\()/ };
  const values: Mode[] = [
    comment,
    ...strings,
    { match: [/url/, /\(/, /[^)"']+/], scope: { 1: "built_in", 3: "string" } },
    call,
    { scope: "number", match: /#[\da-f]{3,8}\b/ },
    { scope: "meta", match: /!important/ },
    NAME,
    number,
  ];
  return {
    name: "CSS",
    case_insensitive: true,
    contains: [
      comment,
      {
        begin: /@[\w-]+/,
        beginScope: "keyword",
        end: /(?=[{;])/,
        keywords: { $pattern: /[a-z-]+/, keyword: "and or not only" },
        contains: [PROPERTY, comment, ...strings, call, number],
      },
      { begin: DECLARED, beginScope: "attribute", end: /(?=[;}])/, contains: values },
      { match: /[.#:]+[\w-]+/ },
      { begin: /\[/, end: /\]/, contains: strings },
      { scope: "selector-tag", match: /[a-z][\w-]*/ },
      number,
    ],
  };
}

/** `a: b` is a property with its value, unless a block begins behind it: then `a:b` is a selector. */
const DECLARED = /(?<![\w-])[\w-]+(?=\s*:(?!(?:[^;{}"']|"[^"]*"|'[^']*')*\{))/;
const PROPERTY: Mode = { scope: "attribute", match: /(?<![\w-])[\w-]+(?=\s*:)/ };
/** Digits in a name are no number. */
const NAME: Mode = { match: /-{0,2}[a-z_][\w-]*/ };
