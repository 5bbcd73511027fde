import { FileProblem } from "./file-problem.ts";
import type { FileLimits } from "./limits.ts";

const CHUNK_BYTES = 64 * 1024;

export interface LinesRead {
  readonly text: string;
  readonly fromLine: number;
  readonly toLine: number;
  readonly nextOffset?: number;
}

/** A file, or anything that can be read like one. */
export interface ByteSource {
  read(into: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
}

export function bytesOf(text: string): ByteSource {
  const bytes = Buffer.from(text);
  return {
    read: async (into, offset, length, position) => ({
      bytesRead: bytes.copy(into, offset, position, position + length),
    }),
  };
}

/**
 * Reads some lines of a file of any size without holding more of it than they are. Line ends
 * stay as they are, since an edit must find the very text.
 */
export async function readLines(
  handle: ByteSource,
  ask: { offset: number; limit: number; signal: AbortSignal; path: string; limits: FileLimits },
): Promise<LinesRead> {
  const { offset, limit, signal, path, limits } = ask;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let line = 1;
  let text = "";
  let position = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    position += bytesRead;
    let rest = decode(decoder, chunk.subarray(0, bytesRead), bytesRead > 0, path);
    while (rest !== "") {
      const end = rest.indexOf("\n");
      const piece = end === -1 ? rest : rest.slice(0, end + 1);
      rest = rest.slice(piece.length);
      if (line >= offset + limit) return { text, fromLine: offset, toLine: line - 1, nextOffset: line };
      if (line >= offset) {
        if (text.length + piece.length > limits.answerCharsMax) return cut(text, piece, line, ask);
        text += piece;
      }
      if (end !== -1) line++;
    }
    if (bytesRead === 0) {
      const last = text.endsWith("\n") ? line - 1 : line;
      return { text, fromLine: offset, toLine: Math.max(last, offset - 1) };
    }
    if (position > limits.searchBytesMax) {
      throw new FileProblem(
        "too-large",
        `Line ${offset} of ${path} is too far into the file. Search it instead.`,
      );
    }
  }
}

/** How many lines a file has; one that does not end with a line end ends with a line all the same. */
export async function countLines(handle: ByteSource, signal: AbortSignal): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let ends = 0;
  let last = NEW_LINE;
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return last === NEW_LINE ? ends : ends + 1;
    position += bytesRead;
    last = chunk[bytesRead - 1]!;
    for (let at = chunk.indexOf(NEW_LINE); at !== -1 && at < bytesRead; at = chunk.indexOf(NEW_LINE, at + 1))
      ends++;
  }
}

const NEW_LINE = 0x0a;

/** A line that does not fit is left for the next call; one that never fits is cut, and said to be. */
function cut(
  text: string,
  piece: string,
  line: number,
  ask: { offset: number; limits: FileLimits },
): LinesRead {
  if (text !== "" && text.endsWith("\n")) {
    return { text, fromLine: ask.offset, toLine: line - 1, nextOffset: line };
  }
  const room = ask.limits.answerCharsMax - text.length;
  const shown = `${text}${piece.slice(0, room)}\n[line ${line} is longer than this and was cut]\n`;
  return { text: shown, fromLine: ask.offset, toLine: line, nextOffset: line + 1 };
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array,
  more: boolean,
  path: string,
): string {
  try {
    return decoder.decode(bytes, { stream: more });
  } catch {
    throw new FileProblem("wrong-kind", `${path} is not UTF-8 text all through; it was not read.`);
  }
}
