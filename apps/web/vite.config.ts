import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { frames } from "./frames/frames.ts";
import { highlightModule } from "./highlight-module.ts";
import { markedReader } from "./marked-reader.ts";
import { shortWords } from "./short-words.ts";
import { templateSpace } from "./template-space.ts";

/** Small files are not worth a second request header. */
const COMPRESS_BYTES_MIN = 1024;

const CARDS =
  /\/src\/(?:words\/deeds|parts\/(?:(?:calls|evidence|approval|recalled|forget)\/|preview\/kind|menu|input-|diff-|blob-|connect-|form-|vars)|state\/(?:page-)?loader)|core\/src\/(?:base\/(?:line-diff|bytes|result)|receipts\/checkpoint|policy\/rule-of|card\/(?!question)|tool\/tool-words)/;

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
        // that the welcome shows, stay by themselves. `bench/page-size.ts` says how large each may be.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // What the gateway says, in German.
            { name: "german-gateway", test: /\/src\/words\/de\/gateway|core\/src\/base\/german-sentences/ },
            {
              name: "german-failures",
              test: /\/src\/words\/de\/failures|core\/src\/base\/(?:german-failures|sentences-by)/,
            },
            {
              name: "settings",
              test: /\/src\/(?:pages\/(?:settings\/|tools\/(?:try-call|call-fields))|words\/en\/settings|app\/look)/,
            },
            {
              name: "pages",
              test: /\/src\/(?:pages\/(?!chat|welcome|receipts\/(?:verify|sha256|one-letter|receipts\.css))|words\/tool-text|words\/en\/(?!(?:app|chat|parts|receipts|welcome)\.ts))|core\/src\/(?:model\/rest-reason|authority\/source-words|policy\/policy\.ts)/,
            },
            { name: "cards", test: CARDS },
            {
              // The check of receipts, which the welcome shows too.
              name: "receipts",
              test: /\/src\/(?:pages\/receipts\/(?:verify|sha256|one-letter|receipts\.css)|words\/en\/receipts)|core\/src\/(?:receipts\/(?!checkpoint)|base\/(?:tenant|canonical-json))/,
            },
            {
              // What a conversation is shown with, and what somebody asks for at it: menus, lists, the panel beside it.
              name: "message-list",
              test: /\/src\/(?:pages\/chat\/(?:message-|turn-actions|respond|paste-quoted|model-menu|context-card|session-menu|session-actions|session-settings|version-effects|find-|side\/)|parts\/(?:preview\/(?!kind)|markdown\/(?:blocks|clean|frame|markdown|read|render|token))|gateway\/(?:device-login|stored-text)|app\/shortcuts-sheet)|node_modules\/marked\//,
            },
            {
              name: "chat-view",
              test: /\/src\/(?:pages\/chat\/|words\/en\/chat|gateway\/store-blob|app\/command-palette)|sdk\/src\/view-state\/(?!pending-approvals|quoted)|core\/src\/(?:grounding|message\/(?!session)|tool\/catalog|base\/glyphs)/,
            },
            // A few lines that nearly everything needs: files of their own would be mostly names.
            {
              name: "small",
              test: /core\/src\/(?:message\/session\.ts|base\/(?:is-record|label)|tool\/(?:tool-label|tool\.ts))|\/quoted-lines|\/src\/(?:(?:\w+\/)?paths\.ts|parts\/row-window)|rolldown\/runtime/,
            },
            // Whatever every visit begins with, Lit and Vite's own loader too: one file, and the first one.
            { name: "index", tags: ["$initial"], test: /^(?!.*\/worker\/sw\.ts$)/ },
          ],
        },
      },
    },
  },
  plugins: [
    markedReader(),
    highlightModule(),
    shortWords(`${import.meta.dirname}/src/`),
    templateSpace(`${import.meta.dirname}/src/`),
    chatFirst(),
    fontsFirst(),
    licences(),
    frames(),
    compressed(),
  ],
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
      for (const fileName of [...Object.keys(bundle), "theme.js"]) {
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

/** Whoever opens a conversation needs these at once: `theme.js` asks for them before the first script has run. */
function chatFirst(): Plugin {
  return {
    name: "elwood-chat-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) => {
        const chunks = Object.values(bundle ?? {}).filter((each) => each.type === "chunk");
        const chat = chunks.find(({ name }) => name === "chat-view");
        const needed = chat
          ? [chat, ...chunks.filter(({ fileName }) => chat.imports.includes(fileName))]
          : [];
        return needed
          .filter(({ isEntry }) => !isEntry)
          .map(({ fileName }) => ({
            tag: "link",
            attrs: { "data-chat": "", href: `/${fileName}` },
            injectTo: "head-prepend",
          }));
      },
    },
  };
}

/** The font of the text is asked for with the document: the first frame waits for it a moment, and not for long. */
function fontsFirst(): Plugin {
  return {
    name: "elwood-fonts-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle }) =>
        Object.keys(bundle ?? {})
          .filter((name) => /inter-.*\.woff2$/.test(name))
          .map((name) => ({
            tag: "link",
            attrs: { rel: "preload", as: "font", type: "font/woff2", href: `/${name}`, crossorigin: "" },
            injectTo: "head-prepend",
          })),
    },
  };
}

/** What others made and lies in the built page, with the terms they give it under. */
const OTHERS = [
  "@fontsource-variable/inter",
  "@fontsource-variable/jetbrains-mono",
  "@mermaid-js/tiny",
  "lit",
  "marked",
  "temml",
];

function licences(): Plugin {
  return {
    name: "elwood-licences",
    apply: "build",
    generateBundle() {
      const texts = OTHERS.map((name) => `${name}\n\n${licenceOf(name)}`);
      this.emitFile({ type: "asset", fileName: "licences.txt", source: texts.join("\n\n----\n\n") });
    },
  };
}

function licenceOf(name: string): string {
  const folder = join(import.meta.dirname, "../../node_modules", name);
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return file === undefined ? "See its package." : readFileSync(join(folder, file), "utf8").trim();
}
