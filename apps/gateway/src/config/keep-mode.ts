import { readFile, realpath, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { PolicyMode } from "@elwood/core/policy/policy";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { errorCode, isMissing } from "@elwood/platform/system-error";
import type { LoadedConfig } from "./load.ts";

/** Whether a mode counts at the next start too; where not, why, in a sentence. */
export interface KeptMode {
  readonly kept: boolean;
  readonly note?: string;
}

const FILE_MODE = 0o600;

/** Writes the policy's mode into the settings file, and leaves the rest of it as it stands, comments included. */
export async function keepMode(
  { file, paths, origins }: Pick<LoadedConfig, "file" | "paths" | "origins">,
  mode: PolicyMode,
): Promise<KeptMode> {
  const named = file ?? paths.config;
  const origin = origins.get("policy.mode") ?? "default";
  if (origin !== "default" && !origin.startsWith(`${basename(named)}:`))
    return notKept(`It is set by ${origin}, which counts again at the next start.`);
  const next = `To keep it, set policy.mode to ${mode} in ${named}.`;
  try {
    const path = await realpath(named).catch(() => named);
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      if (isMissing(error)) return "";
      throw error;
    });
    const written = await withMode(text, mode);
    if (written === undefined)
      return notKept(
        `${named} cannot be changed without changing more of it, so it counts until the next start. ${next}`,
      );
    const rights = await stat(path).then(
      ({ mode: bits }) => bits & 0o777,
      () => FILE_MODE,
    );
    if (written !== text) await writeFileAtomic(path, written, { mode: rights });
    return { kept: true };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return notKept(`${named} cannot be written, so it counts until the next start. ${next}`);
  }
}

function notKept(note: string): KeptMode {
  return { kept: false, note };
}

/** Only the mode changes: the rest of the file is the owner's. Undefined where that cannot be done. */
async function withMode(text: string, mode: PolicyMode): Promise<string | undefined> {
  const { isMap, isScalar, parseDocument } = await import("yaml");
  const document = parseDocument(text);
  const { contents } = document;
  if (document.errors.length > 0 || (contents !== null && (!isMap(contents) || contents.flow)))
    return undefined;
  const policy: unknown = document.get("policy", true);
  const known: unknown = document.getIn(["policy", "mode"], true);
  let written: string | undefined;
  if (isScalar(known) && known.range) {
    const [from, to] = known.range;
    written = `${text.slice(0, from)}${mode}${text.slice(to)}`;
  } else if (policy === undefined) {
    written = `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}policy:\n  mode: ${mode}\n`;
  } else if (isMap(policy) && !policy.flow && policy.range) {
    const [from] = policy.range;
    const indent = text.slice(text.lastIndexOf("\n", from - 1) + 1, from);
    if (/^ +$/.test(indent)) written = `${text.slice(0, from)}mode: ${mode}\n${indent}${text.slice(from)}`;
  }
  const read = written === undefined ? undefined : parseDocument(written);
  return read?.errors.length === 0 && read.getIn(["policy", "mode"]) === mode ? written : undefined;
}
