import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { markedReader } from "./marked-reader.ts";
import { templateSpace } from "./template-space.ts";

/** Small files are not worth a second request header. */
const COMPRESS_BYTES_MIN = 1024;

const CARDS =
  /\/src\/(?:parts\/(?:(?:calls|evidence|approval|recalled|forget)\/|input-|diff-|blob-|connect-|form-|vars)|state\/(?:page-)?loader)|core\/src\/(?:base\/line-diff|policy\/rule-of|card\/(?!question)|tool\/tool-words)/;

export default defineConfig({
  root: import.meta.dirname,
  // The gateway has the same pages at every path.
  base: "/",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: `${import.meta.dirname}/index.html`, sw: `${import.meta.dirname}/src/worker/sw.ts` },
      output: {
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        // Pages are much alike, so that together they are a third smaller than one by one; so are the cards
        // that stand in conversations and on pages. What somebody sees first, and the check of receipts
        // that the welcome shows, stay by themselves.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: "pages",
              test: /\/src\/pages\/(?!chat|welcome|receipts\/(?:verify|sha256|receipts\.css))|core\/src\/model\/rest-reason/,
            },
            {
              // What somebody asks for at the chat: menus, lists, the panel beside it.
              name: "asked-for",
              test: /\/src\/(pages\/chat\/(queued-list|respond|chat-commands|file-drops|paste-quoted|model-menu|context-card|session-menu|session-actions|side\/)|parts\/menu|gateway\/device-login|app\/(?:command-palette|shortcuts-sheet))/,
            },
            { name: "cards", test: CARDS },
            // A few lines that nearly everything needs: files of their own would be mostly names.
            {
              name: "small",
              test: /core\/src\/(?:message\/session\.ts|base\/(?:is-record|label)|tool\/tool-label)|\/quoted-lines|\/src\/(?:(?:\w+\/)?paths\.ts|parts\/row-window)|rolldown\/runtime/,
            },
            // Whatever every visit begins with, Lit and Vite's own loader too: one file, and the first one.
            { name: "index", tags: ["$initial"], test: /^(?!.*\/worker\/sw\.ts$)/ },
          ],
        },
      },
    },
  },
  plugins: [markedReader(), templateSpace(`${import.meta.dirname}/src/`), compressed()],
});

/**
 * Writes each text file a second and third time, compressed, so that the gateway need not.
 * From what was written: until then Vite still changes the code.
 */
function compressed(): Plugin {
  return {
    name: "elwood-compressed",
    apply: "build",
    writeBundle({ dir }, bundle) {
      if (dir === undefined) return;
      for (const fileName of Object.keys(bundle)) {
        const path = join(dir, fileName);
        if (!/\.(js|css|html|svg|webmanifest)$/.test(fileName)) continue;
        const bytes = readFileSync(path);
        if (bytes.length < COMPRESS_BYTES_MIN) continue;
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, quality));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
