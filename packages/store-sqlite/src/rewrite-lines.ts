import type { FileOperations, OpenFile } from "./file-operations.ts";
import { isMissing } from "@elwood/platform/system-error";

const NEWLINE = 0x0a;
const BLANK = 0x20;
const CHUNK_BYTES = 1024 * 1024;

/** What is to stand in a line's place: a text that is no longer, or undefined to leave it as it is. */
export type LineWork = (bytes: Buffer, line: number) => string | undefined;

/**
 * Goes through the lines of a file and writes over some of them, where they stand.
 *
 * W1 The file stays as long as it was, and so does each line: what is left over is filled with
 *    blanks. Places that were noted in it still mean the same.
 * W2 The old bytes are written over, not only unlinked.
 * W3 A crash in the middle leaves a line that is half old and half new; whoever began this
 *    must do it again, and `work` is handed such a line as it is.
 */
export async function rewriteLines(files: FileOperations, path: string, work: LineWork): Promise<number> {
  const file = await openThere(files, path);
  if (!file) return 0;
  try {
    let changed = 0;
    let line = 0;
    for await (const { start, bytes } of linesOf(file)) {
      line += 1;
      const text = work(bytes, line);
      if (text === undefined) continue;
      await writeOver(file, start, filled(text, bytes.length));
      changed += 1;
    }
    if (changed > 0) await file.sync();
    return changed;
  } finally {
    await file.close();
  }
}

async function openThere(files: FileOperations, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "r+");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function* linesOf(file: OpenFile): AsyncGenerator<{ start: number; bytes: Buffer }> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let start = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) break;
    const chunk = Buffer.from(buffer.subarray(0, bytesRead));
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield { start, bytes: Buffer.concat([...rest, chunk.subarray(from, end)]) };
      rest = [];
      from = end + 1;
      start = position + from;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    position += bytesRead;
  }
  if (rest.length > 0) yield { start, bytes: Buffer.concat(rest) };
}

function filled(text: string, length: number): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > length) throw new Error("what is left of a line is longer than the line was");
  return Buffer.concat([bytes, Buffer.alloc(length - bytes.length, BLANK)]);
}

async function writeOver(file: OpenFile, start: number, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, start + written);
    if (bytesWritten === 0)
      throw Object.assign(new Error("wrote nothing"), { code: "EIO", syscall: "write" });
    written += bytesWritten;
  }
}
