import type { Plugin } from "vite";

/**
 * The library that colours code is written for Node's older modules. As one of today's it needs no helpers,
 * which every visit would fetch though few see code.
 */
export function highlightModule(): Plugin {
  return {
    name: "elwood-highlight-module",
    apply: "build",
    transform: (code, id) => (/\/highlight\.js\/lib\/[\w/]+\.js$/.test(id) ? asModule(code) : undefined),
  };
}

export function asModule(code: string): { code: string; map: null } {
  const [own = "", name, ...more] = code.split(/^module\.exports = (\w+);$/m);
  if (name === undefined || more.length > 1 || /\brequire\(/.test(own))
    throw new Error("highlight.js is built otherwise than it was: look at apps/web/highlight-module.ts");
  return { code: [own, `export default ${name};`, ...more].join(""), map: null };
}
