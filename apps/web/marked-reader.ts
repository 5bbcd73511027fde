import type { Plugin } from "vite";

/** All that the page uses of the library: it reads Markdown, and writes markup by itself. */
const USED = ["Lexer", "Tokenizer", "getDefaults"];

/**
 * Leaves out what marked makes when it is loaded, which keeps its parser and renderers in the page
 * though nobody calls them: a tenth of what draws messages.
 */
export function markedReader(): Plugin {
  return {
    name: "elwood-marked-reader",
    transform: (code, id) => (id.endsWith("/marked/lib/marked.esm.js") ? readerOnly(code) : undefined),
  };
}

export function readerOnly(code: string): { code: string; map: null } {
  const made = /;var \w+=new \w+;function (?:[^](?!export\{))*;export\{([^}]*)\}/.exec(code);
  const names = (made?.[1] ?? "").split(",").filter((name) => USED.includes(name.split(" as ")[1] ?? ""));
  if (!made || names.length !== USED.length)
    throw new Error("marked is built otherwise than it was: look at apps/web/marked-reader.ts");
  return { code: `${code.slice(0, made.index)};export{${names.join(",")}};`, map: null };
}
