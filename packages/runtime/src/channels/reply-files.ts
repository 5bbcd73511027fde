import type { OutgoingFile } from "@elwood/core/channel/channel";
import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";
import { showLine } from "@elwood/core/base/show";
import type { CallRow, Ledger } from "../ports/gate-ports.ts";
import type { BlobStore } from "../ports/ports.ts";

export interface ReplyFilesDeps {
  readonly tenant: string;
  readonly ledger: Pick<Ledger, "callsOfRun">;
  readonly blobs: Pick<BlobStore, "info" | "read">;
  readonly redact: Redactor;
}

/** What goes out behind a reply, and sentences about what does not. */
export interface ReplyFiles {
  readonly files: readonly OutgoingFile[];
  readonly notes: readonly string[];
}

interface Made {
  readonly blobId: string;
  readonly mime: string;
  readonly name?: string;
}

/**
 * The files of a run, for the chat that its reply goes to: what calls handed over for people, and
 * pictures that they made. What a file does not go out for is told, with where it can be had.
 */
export async function replyFiles(
  deps: ReplyFilesDeps,
  runId: string,
  chat: { readonly title: string; readonly bytesMax: number; readonly link: string },
): Promise<ReplyFiles> {
  const { tenant, ledger, blobs } = deps;
  const made = madeIn(await ledger.callsOfRun(tenant, runId));
  const files: OutgoingFile[] = [];
  const notes: string[] = [];
  for (const [i, each] of made.slice(0, LIMITS.replyFilesMax).entries()) {
    const info = await blobs.info(tenant, each.blobId);
    if (!info) continue;
    const name = nameOf(each, i);
    if (info.bytes > chat.bytesMax)
      notes.push(
        `${name} (${megabytes(info.bytes)} MB) is larger than the ${megabytes(chat.bytesMax)} MB that ${chat.title} takes, so it was not sent. You find it at ${chat.link}`,
      );
    else if (await hasSecret(deps, each.blobId))
      notes.push(
        `${name} contains a key or password that Elwood knows, so it was not sent to ${chat.title}. You find it at ${chat.link}`,
      );
    else files.push({ blobId: each.blobId, name, mime: each.mime, bytes: info.bytes });
  }
  const more = made.length - LIMITS.replyFilesMax;
  if (more > 0) notes.push(`${more} more ${more === 1 ? "file is" : "files are"} at ${chat.link}`);
  return { files, notes };
}

/** Of a tool that made pictures again and again, such as screenshots on its way, the last ones count. */
function madeIn(calls: readonly CallRow[]): readonly Made[] {
  const undone = new Set(calls.flatMap(({ undoes, state }) => (state === "succeeded" ? [undoes] : [])));
  const done = calls.filter(
    ({ callId, outcome, state }) => state === "succeeded" && outcome?.status === "ok" && !undone.has(callId),
  );
  const last = new Map(done.filter(makesPictures).map(({ toolId, callId }) => [toolId, callId]));
  const found = done.flatMap((call): readonly Made[] => [
    ...(last.get(call.toolId) === call.callId ? (call.outcome?.images ?? []) : []),
    ...(call.outcome?.files ?? []),
  ]);
  return [...new Map(found.map((each) => [each.blobId, each])).values()];
}

/** A picture of the owner's that a call only looked at is no new one; nor is one that stands on a page. */
const LOOKED_AT = /^(?:files|web|session)\./;

function makesPictures({ toolId, outcome }: CallRow): boolean {
  return (outcome?.images?.length ?? 0) > 0 && !LOOKED_AT.test(toolId);
}

/** Every text on its way out passes the redactor; a file cannot be changed on its way, so it stays. */
async function hasSecret({ tenant, blobs, redact }: ReplyFilesDeps, blobId: string): Promise<boolean> {
  const bytes = await blobs.read(tenant, blobId);
  if (!bytes || bytes.includes(0)) return false;
  const text = new TextDecoder().decode(bytes);
  return redact(text) !== text;
}

const NAME_CHARS_MAX = 100;
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "application/json": "json",
  "text/plain": "txt",
};

function nameOf({ name = "", mime }: Made, index: number): string {
  const plain = showLine(name.split(/[/\\]/).at(-1) ?? "").trim();
  if (plain === "" || /^\.+$/.test(plain))
    return `${mime.startsWith("image/") ? "picture" : "file"}-${index + 1}.${ENDINGS[mime] ?? "bin"}`;
  const ending = /\.[^.]{1,10}$/.exec(plain)?.[0] ?? "";
  return plain.length <= NAME_CHARS_MAX ? plain : plain.slice(0, NAME_CHARS_MAX - ending.length) + ending;
}

function megabytes(bytes: number): string {
  const value = bytes / 1024 / 1024;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
