import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import type { Damage } from "@elwood/runtime/ports/ports";
import { TranscriptReader } from "@elwood/runtime/run/transcript-reader";
import { counted } from "@elwood/core/base/relative-time";
import { finding, ok, type Check, type Finding } from "./finding.ts";
import { isMissing } from "@elwood/platform/system-error";

const FILES_MAX = 20_000;
const SHOWN_MAX = 20;
const READ_BYTES = 256 * 1024;

/** Reads every conversation's file as the gateway would, and names each line that it would have to skip. */
export const transcripts: Check = {
  area: "transcripts",
  async run({ paths }) {
    const files = await transcriptFiles(paths.sessions);
    const findings: Finding[] = [];
    let damaged = 0;
    for (const path of files.slice(0, FILES_MAX)) {
      const damage = await damageIn(path);
      damaged += damage.length;
      for (const each of damage) if (findings.length < SHOWN_MAX) findings.push(damageFinding(path, each));
    }
    if (damaged > findings.length) {
      const what = `${damaged - findings.length} more lines of conversations cannot be read.`;
      findings.push(finding("warning", "transcripts.damage", what, paths.sessions, FIX));
    }
    if (files.length > FILES_MAX) {
      const what = `Only the first ${FILES_MAX} of ${files.length} conversations were looked at.`;
      findings.push(finding("info", "transcripts.many", what, paths.sessions, ""));
    }
    if (findings.length > 0) return findings;
    return [ok("transcripts.sound", "Every conversation can be read.", counted(files.length, "file"))];
  },
};

const FIX =
  "Nothing else is lost: the line is skipped and left as it is. To look at it yourself, open the file; to be rid of it, stop Elwood and remove the line.";

const WORDS: Readonly<Record<Damage["what"], string>> = {
  torn: "is cut off: a program or the machine stopped while it was written",
  "not-json": "is not JSON",
  "not-a-message": "is not a message that this Elwood knows",
};

function damageFinding(path: string, damage: Damage): Finding {
  const evidence = `${path}:${damage.line} (${counted(damage.bytes, "byte")} at ${damage.offset})`;
  return finding(
    "warning",
    "transcripts.damage",
    `A line of a conversation ${WORDS[damage.what]}.`,
    evidence,
    FIX,
  );
}

/** A gateway may be writing: a torn end is believed only when it is seen twice. */
async function damageIn(path: string): Promise<readonly Damage[]> {
  const first = await read(path);
  return first.at(-1)?.what === "torn" ? read(path) : first;
}

async function read(path: string): Promise<readonly Damage[]> {
  const reader = new TranscriptReader(LIMITS.transcriptLineBytesMax);
  try {
    const file = await open(path, "r");
    try {
      const buffer = new Uint8Array(READ_BYTES);
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
        if (bytesRead === 0) break;
        reader.push(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  } catch (cause) {
    // Purged while we looked.
    if (!isMissing(cause)) throw cause;
  }
  return reader.end().damage;
}

/** `sessions/<tenant>/<id>.jsonl` */
async function transcriptFiles(sessions: string): Promise<string[]> {
  const files: string[] = [];
  for (const tenant of await entries(sessions)) {
    if (!tenant.isDirectory()) continue;
    const folder = join(sessions, tenant.name);
    for (const entry of await entries(folder)) {
      if (entry.isFile() && entry.name.endsWith(".jsonl")) files.push(join(folder, entry.name));
    }
  }
  return files.sort();
}

async function entries(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}
