import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

/** Small files are not worth a second request header. */
const COMPRESS_BYTES_MIN = 1024;

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
      },
    },
  },
  plugins: [compressed()],
});

/** Writes each text file a second and third time, compressed, so that the gateway need not. */
function compressed(): Plugin {
  return {
    name: "elwood-compressed",
    apply: "build",
    enforce: "post",
    generateBundle(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const bytes = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (bytes.length < COMPRESS_BYTES_MIN || !/\.(js|css|html|svg|webmanifest)$/.test(fileName)) continue;
        const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
        this.emitFile({
          type: "asset",
          fileName: `${fileName}.br`,
          source: brotliCompressSync(bytes, quality),
        });
        this.emitFile({ type: "asset", fileName: `${fileName}.gz`, source: gzipSync(bytes, { level: 9 }) });
      }
      const names = Object.keys(bundle).toSorted().join("\n");
      const build = createHash("sha256").update(names).digest("hex").slice(0, 12);
      this.emitFile({ type: "asset", fileName: "build.txt", source: `${build}\n` });
    },
  };
}
