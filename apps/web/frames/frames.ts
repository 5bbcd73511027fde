import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import type { Plugin } from "vite";

const STYLE = {
  diagram: "body{margin:0;display:flow-root}svg{display:block;max-width:100%;height:auto;margin:0 auto}",
  html: "body{font-family:system-ui,sans-serif}",
} as const;

/**
 * Writes the documents of the frames, `/frame/diagram` and `/frame/html`. Each is whole in itself, with one
 * script that the gateway's policy names by its hash: it needs nothing from anywhere, and may ask for nothing.
 * Only compressed, because the diagrams' is 2.5 MB else; the gateway unpacks it for whoever cannot.
 */
export function frames(): Plugin {
  return {
    name: "elwood-frames",
    apply: "build",
    writeBundle({ dir }) {
      if (dir === undefined) return;
      mkdirSync(join(dir, "frame"), { recursive: true });
      const mermaid = readFileSync(
        join(import.meta.dirname, "../../../node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js"),
        "utf8",
      );
      for (const name of ["diagram", "html"] as const) {
        const own = readFileSync(join(import.meta.dirname, `${name}.js`), "utf8");
        const text = frameDocument(STYLE[name], name === "diagram" ? `${mermaid}\n${own}` : own);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 22 };
        writeFileSync(join(dir, "frame", `${name}.html.br`), brotliCompressSync(text, { params }));
      }
    },
  };
}

export function frameDocument(style: string, script: string): string {
  // Nothing in it may end the element it stands in.
  const inside = script.replaceAll(/<\/(?=script)/gi, "<\\/").replaceAll("<!--", "<\\!--");
  return `<!doctype html><html><head><meta charset="utf-8"><style>${style}</style><script>${inside}</script></head><body></body></html>`;
}
