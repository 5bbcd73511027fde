import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const CLIENT_GZ_BYTES_MAX = 15 * 1024;

async function bundled(
  entry: string,
): Promise<{ readonly code: string; readonly imports: readonly string[] }> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL(entry, import.meta.url)),
    platform: "browser",
    external: /^node:/,
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const chunk = output[0];
  return { code: chunk.code, imports: chunk.imports };
}

test("the client is small, needs nothing of Node, and brings no schema library", async () => {
  const { code, imports } = await bundled("./client.ts");
  expect(imports).toEqual([]);
  expect(code).not.toMatch(/node:|\bzod\b|ZodType/);
  expect(gzipSync(code).length).toBeLessThan(CLIENT_GZ_BYTES_MAX);
});

test("an assistant in a page brings neither Node nor a schema library until it needs them", async () => {
  const { code, imports } = await bundled("./index.ts");
  expect(imports.filter((name) => name.startsWith("node:"))).toEqual([]);
  expect(code).not.toMatch(/ZodType/);
});
