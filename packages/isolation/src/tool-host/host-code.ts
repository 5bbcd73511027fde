import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { TOOL_SCHEME } from "./wire.ts";

/** What a process for tools is sent to run, by address. */
export interface HostCode {
  readonly entry: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly zod: string;
  /** The user's sources as they are. They are not touched here: a source can be made to break the stripper. */
  readonly files: Readonly<Record<string, string>>;
  readonly mode: "serve" | "test";
}

/** The part that is the same for every integration. */
export type OwnCode = Omit<HostCode, "files" | "mode">;

/** All of ours that runs there; the lists are closed, so that nothing else gets there by an import. */
const FILES = ["host.ts", "host-tools.ts", "host-fetch.ts", "wire.ts", "limits.ts", "../quickjs/frames.ts"];
const PACKAGES = [
  "@elwood/sdk/tool",
  "@elwood/sdk/tool-answer",
  "@elwood/sdk/tool-schema",
  "@elwood/sdk/schema/checked-schema",
  "@elwood/sdk/schema/json-schema",
  "@elwood/sdk/schema/input-problems",
  "@elwood/sdk/test-context",
  "@elwood/core/base/is-record",
  "@elwood/core/base/limits",
  "@elwood/core/base/risk",
  "@elwood/core/model/model",
  "@elwood/core/request/verb-class",
  "@elwood/core/tool/tool",
  "@elwood/core/base/state-words",
  "@elwood/core/base/result",
  "@elwood/core/base/safe-parse",
  "@elwood/core/base/canonical-json",
  "@elwood/core/base/suggest",
];

const ENTRY = new URL("./host.ts", import.meta.url);

/** `entry` runs in place of our own; tests put a hostile one there. */
export function readOwnCode(entry?: URL): OwnCode {
  if (ENTRY.pathname.endsWith(".js")) return builtCode();
  const aliases = Object.fromEntries(PACKAGES.map((name) => [name, import.meta.resolve(name)]));
  const own = FILES.map((file) => new URL(file, ENTRY).href);
  const first = entry?.href ?? ENTRY.href;
  const inside = [...own, ...Object.values(aliases), first];
  // Files of the packages import each other by path; the same addresses come out of that.
  const modules = Object.fromEntries(
    inside.map((url) => [url, stripTypeScriptTypes(readFileSync(new URL(url), "utf8"))]),
  );
  return { entry: first, modules, aliases, zod: import.meta.resolve("zod") };
}

/** In a build a folder has all of it and nothing else, without types. */
function builtCode(): OwnCode {
  const urls = readdirSync(new URL(".", ENTRY)).map((file) => new URL(file, ENTRY));
  return {
    entry: ENTRY.href,
    modules: Object.fromEntries(urls.map((url) => [url.href, readFileSync(url, "utf8")])),
    aliases: { "@elwood/sdk/tool": new URL("tool.js", ENTRY).href },
    zod: import.meta.resolve("zod"),
  };
}

export function hostCode(
  own: OwnCode,
  sources: ReadonlyMap<string, string>,
  mode: HostCode["mode"],
): HostCode {
  const files = Object.fromEntries([...sources].map(([path, text]) => [`${TOOL_SCHEME}${path}`, text]));
  return { ...own, files, mode };
}

/** Where zod's files lie: the only ones that such a process can read. */
export function zodFolder({ zod }: Pick<OwnCode, "zod">): string {
  return dirname(fileURLToPath(zod));
}
