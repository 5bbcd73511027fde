import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, extname, join, relative, resolve } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { showLine } from "@elwood/core/base/show";
import { LIMITS } from "@elwood/core/base/limits";
import type { Endpoint } from "../connect.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** A file as it goes with a message. */
export interface Attachment {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface StoredFile {
  readonly name: string;
  readonly mime: string;
  readonly blobId: string;
}

/** So many files go with one message. */
export const FILES_MAX = 20;

const MENTION = /(?:^|(?<=\s))@(?:"([^"\n]+)"|(\S+))/g;

/** The files that a message names with @; a name that is no file is left as a word. */
export async function mentionedFiles(text: string, folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const [, quoted, plain = ""] of text.matchAll(MENTION)) {
    const written = quoted === undefined ? [plain, plain.replace(/[.,;:!?)\]]+$/, "")] : [quoted];
    for (const name of written) {
      const path = pathOf(name, folder);
      if (name === "" || !(await exists(path))) continue;
      if (!found.includes(path)) found.push(path);
      break;
    }
  }
  return found;
}

/** Reads a file for a message. What cannot go along is refused in words, and nothing is sent. */
export async function readAttachment(path: string, folder: string): Promise<Attachment> {
  const full = pathOf(path, folder);
  const name = shortName(full, folder);
  let size: number;
  try {
    const info = await stat(full);
    if (info.isDirectory()) return fail("INVALID_INPUT", WORDS.files.folder(name));
    if (!info.isFile()) return fail("INVALID_INPUT", WORDS.files.notPlain(name));
    ({ size } = info);
  } catch (cause) {
    return unreadable(name, cause);
  }
  if (size > LIMITS.blobBytesMax)
    return fail("INVALID_INPUT", WORDS.files.tooLarge(name, megabytes(size), megabytes(LIMITS.blobBytesMax)));
  if (size === 0) return fail("INVALID_INPUT", WORDS.files.empty(name));
  try {
    const bytes = await readFile(full);
    return { name, mime: mimeOf(bytes, name), bytes };
  } catch (cause) {
    return unreadable(name, cause);
  }
}

/** Text that is too long for the box. */
export function textAttachment(text: string, name: string): Attachment {
  return { name, mime: "text/plain", bytes: new TextEncoder().encode(text) };
}

export function pictureAttachment(bytes: Uint8Array, name: string): Attachment {
  const mime = signatureOf(bytes);
  if (mime === undefined || !mime.startsWith("image/")) return fail("INVALID_INPUT", WORDS.files.noPicture);
  return { name: `${name}.${mime.slice("image/".length)}`, mime, bytes };
}

export function pathOf(written: string, folder: string): string {
  if (written === "~" || written.startsWith("~/")) return join(homedir(), written.slice(1));
  return resolve(folder, written);
}

function shortName(path: string, folder: string): string {
  const inside = relative(folder, path);
  return showLine(inside.startsWith("..") ? basename(path) : inside);
}

/** What the bytes say; a file that is neither text, a picture nor a document is of no use to a model. */
function mimeOf(bytes: Uint8Array, name: string): string {
  const known = signatureOf(bytes);
  if (known !== undefined) return known;
  // An archive may be anything; its name says whether it is meant as a document. The gateway reads it.
  const document = isArchive(bytes) ? DOCUMENT_MIMES[extname(name).toLowerCase()] : undefined;
  if (document !== undefined) return document;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return TEXT_MIMES[extname(name).toLowerCase()] ?? "text/plain";
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
  }
  return fail("INVALID_INPUT", WORDS.files.binary(name));
}

const OFFICE = "application/vnd.openxmlformats-officedocument";
const DOCUMENT_MIMES: Readonly<Record<string, string>> = {
  ".docx": `${OFFICE}.wordprocessingml.document`,
  ".docm": "application/vnd.ms-word.document.macroenabled.12",
  ".xlsx": `${OFFICE}.spreadsheetml.sheet`,
  ".xlsm": "application/vnd.ms-excel.sheet.macroenabled.12",
  ".pptx": `${OFFICE}.presentationml.presentation`,
  ".epub": "application/epub+zip",
};

function isArchive(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "PK\u0003\u0004";
}

const TEXT_MIMES: Readonly<Record<string, string>> = {
  ".md": "text/markdown",
  ".csv": "text/csv",
  ".html": "text/html",
  ".json": "application/json",
};

const SIGNATURES: readonly (readonly [mime: string, at: number, bytes: string])[] = [
  ["image/png", 0, "\u0089PNG\r\n\u001a\n"],
  ["image/jpeg", 0, "\u00ff\u00d8\u00ff"],
  ["image/gif", 0, "GIF8"],
  ["image/webp", 8, "WEBP"],
  ["application/pdf", 0, "%PDF-"],
];

function signatureOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return SIGNATURES.find(([, at, sign]) => head.startsWith(sign, at))?.[0];
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) return false;
    throw cause;
  }
}

function unreadable(name: string, cause: unknown): never {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  if (code === undefined) throw cause;
  const { missing, closed, unreadable: other } = WORDS.files;
  return fail(
    "INVALID_INPUT",
    code === "ENOENT" ? missing(name) : code === "EACCES" ? closed(name) : other(name, code),
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/** Hands a file to the gateway; it is stored before the message refers to it. */
export async function storeFile(
  { url, token, keepFile }: Endpoint,
  { name, mime, bytes }: Attachment,
): Promise<StoredFile> {
  if (keepFile) return { name, mime, blobId: await keepFile(bytes, mime) };
  const address = new URL("/blobs", url.replace(/^ws/, "http"));
  let response: Response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": mime },
      body: Buffer.from(bytes),
    });
  } catch {
    // No answer: nothing is known to be stored, and nothing refers to it.
    return fail("NETWORK", WORDS.files.notHandedOver(name));
  }
  const answer = (await response.json()) as { blobId?: string; error?: { message?: string } };
  if (response.ok && answer.blobId !== undefined) return { name, mime, blobId: answer.blobId };
  return fail("INVALID_INPUT", answer.error?.message ?? WORDS.files.refused(name, response.status));
}
