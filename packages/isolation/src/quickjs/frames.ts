/**
 * How gateway and sandbox process talk: frames on one socket, each a small JSON object and,
 * after a line break, a text that nobody has to escape twice. Node's own channel between
 * processes would do, but it buffers a line of any length; here the reader sets the limit.
 */
const LENGTH_BYTES = 4;

export interface Frame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export function encodeFrame(head: object, body = ""): Buffer {
  const text = `${JSON.stringify(head)}\n${body}`;
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes);
  frame.writeUInt32BE(bytes, 0);
  frame.write(text, LENGTH_BYTES);
  return frame;
}

/** The other side sent what is no frame, or one that is too long. */
export class FrameError extends Error {}

export class FrameReader {
  readonly #bytesMax: () => number;
  readonly #chunks: Buffer[] = [];
  #buffered = 0;

  /** The limit is asked for with each frame: it may change with what is expected. */
  constructor(bytesMax: () => number) {
    this.#bytesMax = bytesMax;
  }

  /** Frames that are complete now. Throws a FrameError; the socket is of no use after that. */
  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    for (let bytes = this.#nextLength(); bytes !== undefined; bytes = this.#nextLength()) {
      if (bytes > this.#bytesMax()) throw new FrameError(`a frame of ${bytes} bytes`);
      if (this.#buffered < LENGTH_BYTES + bytes) return;
      this.#take(LENGTH_BYTES);
      yield parseFrame(this.#take(bytes));
    }
  }

  #nextLength(): number | undefined {
    if (this.#buffered < LENGTH_BYTES) return undefined;
    const first = this.#chunks[0]!;
    if (first.length < LENGTH_BYTES) {
      this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
    }
    return this.#chunks[0]!.readUInt32BE(0);
  }

  #take(bytes: number): Buffer {
    if (this.#chunks[0] === undefined || this.#chunks[0].length < bytes) {
      this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
    }
    const first = this.#chunks.shift() ?? Buffer.alloc(0);
    if (first.length > bytes) this.#chunks.unshift(first.subarray(bytes));
    this.#buffered -= bytes;
    return first.subarray(0, bytes);
  }
}

function parseFrame(bytes: Buffer): Frame {
  const text = bytes.toString("utf8");
  const end = text.indexOf("\n");
  let head: unknown;
  try {
    head = JSON.parse(text.slice(0, end));
  } catch {
    throw new FrameError("a head that is no JSON");
  }
  if (end < 0 || typeof head !== "object" || head === null || Array.isArray(head)) {
    throw new FrameError("a head that is no object");
  }
  return { head: head as Record<string, unknown>, body: text.slice(end + 1) };
}
