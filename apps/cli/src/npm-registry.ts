import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { fail } from "@elwood/core/base/failure";
import { parseJson } from "@elwood/core/base/parse-json";
import { extract } from "tar-stream";
import { z } from "zod";
import type { Io } from "./io.ts";

/** A package at one version, by the hash of its archive. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, as npm writes it. */
  readonly integrity: string;
}

export const REGISTRY_LIMITS = {
  waitMs: 60_000,
  manifestBytes: 8 * 1024 * 1024,
  archiveBytes: 64 * 1024 * 1024,
  unpackedBytes: 256 * 1024 * 1024,
  files: 20_000,
} as const;

/** npm's, or the one that the owner uses in its place. */
export function registryOf(env: Io["env"]): string {
  const named = env["npm_config_registry"] ?? env["NPM_CONFIG_REGISTRY"];
  return (named === undefined || named === "" ? "https://registry.npmjs.org" : named).replace(/\/$/, "");
}

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  description: z.string().optional(),
  bin: z.record(z.string(), z.string()).optional(),
  dist: z.looseObject({ integrity: z.string() }),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The newest version of a package, as the registry has it; undefined where it has none of that name. */
export async function newestManifest(registry: string, name: string): Promise<Manifest | undefined> {
  const bytes = await fetched(`${registry}/${name}/latest`, REGISTRY_LIMITS.manifestBytes);
  if (bytes === undefined) return undefined;
  const parsed = manifestSchema.safeParse(parseJson(bytes.toString("utf8")));
  return parsed.success
    ? parsed.data
    : fail("UPSTREAM_ERROR", `What ${registry} says of ${name} cannot be understood. Nothing was changed.`);
}

/** The archive of a package, every byte of which is the one that was locked. */
export async function fetchArchive(registry: string, wanted: LockedPackage): Promise<Buffer> {
  const { name, version, integrity } = wanted;
  const file = `${name.split("/").at(-1)}-${version}.tgz`;
  const bytes = await fetched(`${registry}/${name}/-/${file}`, REGISTRY_LIMITS.archiveBytes);
  if (bytes === undefined)
    return fail("NOT_FOUND", `${registry} does not have ${name} ${version}. Nothing was changed.`);
  if (`sha512-${createHash("sha512").update(bytes).digest("base64")}` !== integrity)
    fail(
      "UPSTREAM_ERROR",
      `What ${registry} gave as ${name} ${version} is not what Elwood was tested with: its hash is another. Nothing was changed. Use another registry, or look who changed it.`,
    );
  return bytes;
}

/** Undefined where there is no such thing. */
async function fetched(url: string, bytesMax: number): Promise<Buffer | undefined> {
  const host = URL.canParse(url) ? new URL(url).host : url;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(REGISTRY_LIMITS.waitMs) });
    if (response.status === 404) return undefined;
    if (!response.ok || response.body === null)
      return fail("UPSTREAM_ERROR", `${host} answered ${response.status}. Nothing was changed.`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > bytesMax)
        fail("UPSTREAM_ERROR", `${host} sent more than there can be. Nothing was changed.`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    if (!(error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError")))
      throw error;
    return fail(
      "UPSTREAM_ERROR",
      `${host} cannot be reached. Nothing was changed. Try again, or name another registry: npm_config_registry=https://…`,
    );
  }
}

/** The files of an npm archive, by their paths in the package; nothing but plain files, and none outside of it. */
export async function* filesIn(archive: Buffer): AsyncGenerator<{ path: string; content: Buffer }> {
  const entries = extract();
  const unpacking = createGunzip();
  unpacking.on("error", (error) => entries.destroy(error));
  Readable.from([archive]).pipe(unpacking).pipe(entries);
  let files = 0;
  let bytes = 0;
  for await (const entry of entries) {
    const { name, type } = entry.header;
    const path = name.replace(/^[^/]+\//, "");
    if (type === "directory") {
      entry.resume();
      continue;
    }
    if (type !== "file" || !isSafePath(path))
      fail(
        "UPSTREAM_ERROR",
        `The archive cannot be used: ${JSON.stringify(name)} does not belong in a package. Nothing was changed.`,
      );
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > REGISTRY_LIMITS.unpackedBytes)
        fail(
          "UPSTREAM_ERROR",
          "The archive cannot be used: it unpacks to more than there can be. Nothing was changed.",
        );
      chunks.push(chunk);
    }
    if (++files > REGISTRY_LIMITS.files)
      fail(
        "UPSTREAM_ERROR",
        "The archive cannot be used: it has more files than there can be. Nothing was changed.",
      );
    yield { path, content: Buffer.concat(chunks) };
  }
}

function isSafePath(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.includes("\\") && !path.split("/").includes("..");
}

export async function unpackInto(archive: Buffer, folder: string): Promise<void> {
  for await (const { path, content } of filesIn(archive)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeFile(target, content, { mode: 0o600, flag: "wx" });
  }
}
