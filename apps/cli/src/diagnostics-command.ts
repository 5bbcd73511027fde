import { resolve } from "node:path";
import { FailureError } from "@elwood/core/base/failure";
import { makeRedactor } from "@elwood/core/base/redact";
import type { MethodName } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { VERSION } from "./version.ts";
import { say, type Sentence } from "./words/say.ts";

interface DiagnosticsDeps {
  readonly client: Pick<GatewayClient, "call">;
  readonly clock: Pick<Clock, "now">;
  /** Every secret that the settings and the environment name: none of them may be in the file. */
  readonly secrets: Iterable<string>;
}

const LINES_MAX = 200;

/**
 * `elwood diagnostics`: one JSON file for whoever helps. It says how the installation stands and never what was
 * said. Without `out` it only lists what would be in it.
 *
 * D1 Of the log there are warnings and errors, of keys names and states, of usage numbers, of what needs the owner
 *    its kinds: no titles, no messages, no files.
 * D2 The whole text is redacted once more before it is written, whatever it came from.
 */
export async function diagnostics(
  io: Io,
  { client, clock, secrets }: DiagnosticsDeps,
  { out }: { readonly out: string | undefined },
): Promise<number> {
  const at = new Date(clock.now()).toISOString();
  const bundle = { kind: "elwood.diagnostics", v: 1, at, parts: await gathered(client) };
  const redact = makeRedactor(secrets);
  const text = `${redact(JSON.stringify(bundle, null, 2))}\n`;
  if (out === "-") {
    io.stdout.write(text);
    return EXIT.ok;
  }
  const size = `${Math.ceil(Buffer.byteLength(text) / 1_024)} KB`;
  const listed = Object.entries(bundle.parts).map(([name, part]) => `  ${name}: ${whatOf(io, name, part)}\n`);
  io.stdout.write(`${say(io, "In it ({0}):", size)}\n${listed.join("")}`);
  io.stdout.write(`${say(io, "Not in it: conversations, notes, files, titles, keys, tokens.")}\n`);
  if (out === undefined) {
    io.stdout.write(
      `${say(io, "Nothing was written. Write it with: {0} diagnostics --out elwood.json", ownName(io.env))}\n`,
    );
    return EXIT.ok;
  }
  const path = resolve(io.cwd, out);
  await writeFileAtomic(path, text, { mode: 0o600 });
  io.stdout.write(`${say(io, "Written to {0}. Read it before you pass it on.", path)}\n`);
  return EXIT.ok;
}

const WORDS: Readonly<Record<string, Sentence>> = {
  program: "version of Elwood, Node and the system",
  status: "model, today's numbers, what runs now",
  doctor: "what was checked, and what is wrong",
  settings: "settings that differ from the defaults; of secrets their names",
  attention: "kinds of what waits for you",
  usage: "tokens and cost by day and model",
  keys: "names, kinds and states of model keys",
  log: "the last warnings and errors",
};

function whatOf(io: Io, name: string, part: unknown): string {
  const count = Array.isArray(part) ? ` (${part.length})` : "";
  const missing =
    typeof part === "object" && part !== null && "failed" in part ? say(io, "; could not be had") : "";
  const words = WORDS[name];
  return `${words === undefined ? name : say(io, words)}${count}${missing}`;
}

/** What cannot be had is told in its place: a bundle is for when something is wrong. */
async function gathered(client: DiagnosticsDeps["client"]): Promise<Readonly<Record<string, unknown>>> {
  const ask = async <M extends MethodName, T>(
    method: M,
    params: object,
    keep: (answer: MethodResult<M>) => T,
  ): Promise<T | { readonly failed: string }> => {
    try {
      return keep(await client.call(method, params as never));
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      return { failed: `${error.failure.reason}: ${error.failure.message}` };
    }
  };
  return {
    program: { version: VERSION, node: process.version, platform: `${process.platform} ${process.arch}` },
    status: await ask("gateway.status", {}, ({ modelProblem: _words, ...status }) => status),
    doctor: await ask("gateway.doctor", {}, (answer) => answer),
    settings: await ask("config.show", {}, (answer) => answer),
    attention: await ask("attention.list", {}, ({ items }) =>
      items.map(({ kind, severity, at }) => ({ kind, severity, at })),
    ),
    usage: await ask("usage.summary", {}, ({ sessions: _titles, ...usage }) => usage),
    keys: await ask("auth.list", {}, ({ profiles }) => profiles.map(({ hint: _end, ...profile }) => profile)),
    log: await ask("gateway.logs", { limit: LINES_MAX }, ({ lines }) =>
      lines.filter(({ level }) => level === "warn" || level === "error"),
    ),
  };
}
