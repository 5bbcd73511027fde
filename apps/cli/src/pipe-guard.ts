import type { Writable } from "node:stream";
import { useColor, type Io } from "./io.ts";

/**
 * What is written to a pipe or a file ends on a terminal again (`| cat`, `less -R`), so what a
 * model, a file or a page wrote may not command it from there either. Each command writes to the
 * same two streams: here everything that a terminal would act on is taken out of both, unless the
 * owner asked for it with `--raw`. A terminal itself is left to the commands, which draw on it.
 */
export function guardedIo(io: Io, raw: boolean): Io {
  if (raw) return io;
  const colors = useColor(io);
  return { ...io, stdout: guarded(io.stdout, colors), stderr: guarded(io.stderr, colors) };
}

function guarded<S extends Writable & { readonly isTTY?: boolean }>(stream: S, colors: boolean): S {
  if (stream.isTTY === true) return stream;
  const write: unknown = (chunk: unknown, ...rest: unknown[]) =>
    (stream.write as (...given: unknown[]) => unknown).call(stream, safeChunk(chunk, colors), ...rest);
  return new Proxy(stream, {
    get(target, key) {
      if (key === "write") return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function safeChunk(chunk: unknown, colors: boolean): unknown {
  if (typeof chunk === "string") return withoutCommands(chunk, colors);
  if (chunk instanceof Uint8Array)
    return Buffer.from(withoutCommands(Buffer.from(chunk).toString("latin1"), colors, BYTES), "latin1");
  return chunk;
}

/**
 * Text without what a terminal acts on. Line breaks and tabs stay. The control characters above
 * ASCII are written as JSON writes them, since a JSON document holds them as they are.
 */
export function withoutCommands(text: string, colors: boolean, commands = COMMANDS): string {
  return text.replaceAll(commands, (found) => {
    if (found.length > 1 && found.startsWith("\u001b")) return colors ? found : "";
    const last = found.charCodeAt(found.length - 1);
    return last > 0x7e ? `\\u${last.toString(16).padStart(4, "0")}` : "";
  });
}

/** A colour of our own, where the owner wants colours in a pipe too; a return that is not the end of a line; any other control. */
const COMMANDS = /\u001b\[[0-9;]{0,32}m|\r(?!\n)|[^\P{Cc}\n\t\r]/gu;
/** In bytes the upper half is parts of letters, and a control above ASCII is two of them. */
const BYTES =
  /\u001b\[[0-9;]{0,32}m|\r(?!\n)|\u00c2[\u0080-\u009f]|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
