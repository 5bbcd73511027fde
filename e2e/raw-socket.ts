import { connect, type Socket } from "node:net";

/**
 * A TCP connection that sends whatever bytes it is told to: for everything that no
 * well-behaved HTTP or WebSocket client would ever let us send.
 */
export class RawSocket {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  /** Resolves with all that came, once the other side has closed its half or the whole. */
  readonly ended: Promise<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    socket.on("data", (chunk) => this.#chunks.push(chunk));
    for (const event of ["end", "close"]) socket.on(event, () => resolve(this.received()));
    // A reset is an answer too: whoever waits is told by `close`.
    socket.on("error", () => undefined);
  }

  static async open(url: string, localAddress?: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: hostname,
      port: Number(port),
      allowHalfOpen: true,
      ...(localAddress ? { localAddress } : {}),
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawSocket(socket);
  }

  received(): string {
    return Buffer.concat(this.#chunks).toString("latin1");
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  write(bytes: string | Uint8Array): this {
    this.#socket.write(bytes);
    return this;
  }

  /** Closes our half; what comes from the other side is still read. */
  end(): this {
    this.#socket.end();
    return this;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Resolves with what has come as soon as it matches. */
  async until(pattern: RegExp, msMax = 60_000): Promise<string> {
    const deadline = performance.now() + msMax;
    while (!pattern.test(this.received())) {
      if (performance.now() > deadline || this.destroyed)
        throw new Error(`${pattern} did not come; got: ${JSON.stringify(this.received().slice(-500))}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return this.received();
  }
}

/** Sends the bytes over a connection of their own and answers all that comes back until it is closed. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<string> {
  const socket = await RawSocket.open(url);
  const answer = await socket.write(bytes).ended;
  socket.destroy();
  return answer;
}

/** The head of a WebSocket handshake. */
export function upgradeRequest(url: string, path = "/ws", headers: Record<string, string> = {}): string {
  const all = {
    Host: new URL(url).host,
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A client's frame as bytes; several can then be sent in one piece, which no library lets us do. */
export function clientFrame(payload: string | Uint8Array, opcode = 1): Buffer {
  const data = Buffer.from(payload);
  const mask = Buffer.from([0x5a, 0xa5, 0x3c, 0xc3]);
  const size =
    data.length < 126
      ? Buffer.from([0x80 | data.length])
      : data.length < 65_536
        ? Buffer.from([0x80 | 126, data.length >> 8, data.length & 0xff])
        : Buffer.from([0x80 | 127, 0, 0, 0, 0, ...uint32(data.length)]);
  const masked = data.map((byte, i) => byte ^ mask[i % 4]!);
  return Buffer.concat([Buffer.from([0x80 | opcode]), size, mask, masked]);
}

/** The frames in what a server sent after its handshake: opcode and payload of each complete one. */
export function serverFrames(received: string): { opcode: number; text: string; code?: number }[] {
  const bytes = Buffer.from(received, "latin1");
  const frames = [];
  let at = bytes.indexOf("\r\n\r\n") + 4;
  while (at + 2 <= bytes.length) {
    const opcode = bytes[at]! & 0x0f;
    const short = bytes[at + 1]! & 0x7f;
    const [length, head] =
      short === 127
        ? [bytes.readUInt32BE(at + 6), 10]
        : short === 126
          ? [bytes.readUInt16BE(at + 2), 4]
          : [short, 2];
    const payload = bytes.subarray(at + head, at + head + length);
    if (payload.length < length) break;
    const closes = opcode === 8 && length >= 2;
    frames.push({
      opcode,
      text: payload.subarray(closes ? 2 : 0).toString("utf8"),
      ...(closes ? { code: payload.readUInt16BE(0) } : {}),
    });
    at += head + length;
  }
  return frames;
}

function uint32(value: number): number[] {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
}
