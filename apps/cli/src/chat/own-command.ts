import { spawn } from "node:child_process";

const OUTPUT_CHARS_MAX = 200_000;

export interface OwnCommandEnd {
  readonly output: string;
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** A command of the owner's own, in their shell, as in a terminal; what it writes is handed on as it comes. */
export function runOwnCommand(
  command: string,
  {
    cwd,
    env,
    signal,
    write,
  }: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
    readonly write: (text: string) => void;
  },
): Promise<OwnCommandEnd> {
  const { promise, resolve } = Promise.withResolvers<OwnCommandEnd>();
  // Its own group, so that what it started ends with it.
  const child = spawn(env["SHELL"] || "/bin/sh", ["-c", command], {
    cwd,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const decoder = new TextDecoder();
  const take = (chunk: Buffer) => {
    const text = decoder.decode(chunk, { stream: true });
    const room = OUTPUT_CHARS_MAX - output.length;
    if (room <= 0) return;
    output += text.slice(0, room);
    write(text.length > room ? `${text.slice(0, room)}\n…\n` : text);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const stop = () => {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", stop, { once: true });
  const ended = (end: Omit<OwnCommandEnd, "output">) => {
    signal.removeEventListener("abort", stop);
    resolve({ output, ...end });
  };
  child.once("error", (error) => {
    write(`${error.message}\n`);
    ended({ code: undefined, signal: undefined });
  });
  child.once("close", (code, by) => ended({ code: code ?? undefined, signal: by ?? undefined }));
  return promise;
}
