import type { Plugin } from "vite";

/**
 * Lets the bundler leave out what the page does not use of marked, which is all but its lexer.
 * The package makes a ready instance of everything as it is loaded, and hangs all its parts on
 * a function; since that counts as an effect, a bundler has to keep it.
 */
export function markedParts(): Plugin {
  return {
    name: "elwood-marked-parts",
    apply: "build",
    transform: {
      filter: { id: /\/marked\/lib\/marked\.esm\.js$/ },
      handler: (code) => ({ code: withoutInstance(code), map: null }),
    },
  };
}

/** The same module up to that instance, with its classes as exports. */
export function withoutInstance(code: string): string {
  const instance = /var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse\(/.exec(code);
  const names = /export\{([^{}]+)\}/.exec(code)?.[1]?.split(",");
  if (!instance || !names) throw new Error("marked is built otherwise than marked-parts.ts expects.");
  const parts = code.slice(0, instance.index);
  const kept = names.filter((name) => / as (?:[A-Z]\w+|getDefaults)$/.test(name));
  return `${parts}export{${kept.join(",")}};`;
}
