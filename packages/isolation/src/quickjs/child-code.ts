import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";

/** What a sandbox process is sent to run, by address. */
export interface ChildCode {
  /** Where the engine's package begins. */
  readonly engine: string;
  readonly entry: string;
  readonly modules: Readonly<Record<string, string>>;
}

/** All that runs in the process; the list is closed, so that nothing else gets there by an import. */
const FILES = [
  "child.ts",
  "engine.ts",
  "frames.ts",
  "guest.ts",
  "guest-ending.ts",
  "locale-text.ts",
  "prelude.ts",
  "wire.ts",
];

const ENTRY = new URL("./child.ts", import.meta.url);

/** `entry` runs in place of our own; tests put a hostile one there. */
export function readChildCode(entry?: URL): ChildCode {
  const engine = import.meta.resolve("quickjs-wasi");
  // In a build all of it is one file, without types.
  if (ENTRY.pathname.endsWith(".js")) {
    return { engine, entry: ENTRY.href, modules: { [ENTRY.href]: readFileSync(ENTRY, "utf8") } };
  }
  const first = entry ?? ENTRY;
  const urls = [...FILES.map((file) => new URL(file, ENTRY)), first];
  const modules = Object.fromEntries(
    urls.map((url) => [url.href, stripTypeScriptTypes(readFileSync(url, "utf8"))]),
  );
  return { engine, entry: first.href, modules };
}
