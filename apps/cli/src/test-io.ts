import { PassThrough, Writable } from "node:stream";
import type { Io } from "./io.ts";

/** A terminal for tests: what was written to it, and what its person types. */
export interface TestIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
  /** What stdout holds, as the one JSON document it must be. */
  readonly json: () => unknown;
  /** Types a line. */
  type(text: string): void;
  /** Ends the input, as Ctrl-D does. */
  hangUp(): void;
}

export interface TestIoOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Io["env"];
  readonly cwd?: string;
}

export function testIo(options: TestIoOptions = {}): TestIo {
  const tty = options.tty ?? false;
  const stdin = Object.assign(new PassThrough(), { isTTY: tty });
  const stdout = new Collected(tty, options.columns);
  const stderr = new Collected(tty, options.columns);
  return {
    stdin,
    stdout,
    stderr,
    env: { NO_COLOR: "1", ...options.env },
    cwd: options.cwd ?? "/nowhere",
    out: () => stdout.text,
    err: () => stderr.text,
    json: () => JSON.parse(stdout.text) as unknown,
    type: (text) => stdin.write(text),
    hangUp: () => stdin.end(),
  };
}

class Collected extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  text = "";

  constructor(isTTY: boolean, columns = 80) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = columns;
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
