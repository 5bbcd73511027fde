import core from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { cleanMarkup } from "./clean-markup.ts";
import { css } from "./css-grammar.ts";
import { sql } from "./sql-grammar.ts";

const LANGUAGES = {
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

const hljs = core.newInstance();
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** The code in colours; undefined where its language is not known here. */
export function highlighted(text: string, language: string): DocumentFragment | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  return cleanMarkup(hljs.highlight(text, { language, ignoreIllegals: true }).value);
}
