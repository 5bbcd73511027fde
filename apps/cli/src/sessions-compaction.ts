import { failure, FailureError, type FailureReason } from "@elwood/core/base/failure";
import type { WireCompaction } from "@elwood/core/protocol/compaction-shapes";
import { isPush } from "@elwood/sdk/client";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { visibleText } from "./terminal-text.ts";
import { say, sayCount, timeText } from "./words/say.ts";

interface Options {
  readonly session: string;
  readonly json: boolean;
}

/** `elwood sessions compact <session>` */
export async function compactSession(io: Io, deps: SessionsDeps, options: Options): Promise<number> {
  const { sessionKey } = await findSession(deps.client, options.session);
  return told(io, deps, options.json, "sessions.compact", { sessionKey });
}

/** `elwood sessions uncompact <session>` */
export async function uncompactSession(
  io: Io,
  deps: SessionsDeps,
  options: Options & { readonly all: boolean },
): Promise<number> {
  const { sessionKey } = await findSession(deps.client, options.session);
  const all = options.all ? { all: true } : {};
  return told(io, deps, options.json, "sessions.uncompact", { sessionKey, ...all });
}

/** `elwood sessions compactions <session>`: what the model is not shown as it stands, and why. */
export async function listCompactions(io: Io, deps: SessionsDeps, options: Options): Promise<number> {
  const { sessionKey } = await findSession(deps.client, options.session);
  const { compactions } = await deps.client.call("sessions.compactions", { sessionKey });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ compactions })}\n`);
    return EXIT.ok;
  }
  if (compactions.length === 0) {
    io.stdout.write(`${say(io, "Nothing of this session is summed up: the model is shown all of it.")}\n`);
    return EXIT.ok;
  }
  const paint = paintFor(io);
  for (const each of compactions) {
    const when = timeText(io, each.at, deps.timeZone);
    io.stdout.write(`${paint("bold", `${when}  ${headline(io, each)}`)}\n`);
    for (const line of details(io, each)) io.stdout.write(`  ${visibleText(line)}\n`);
  }
  if (compactions.some(({ active }) => active)) {
    io.stderr.write(
      `${say(io, "Nothing was deleted. Take the newest back: {0} sessions uncompact {1}", ownName(io.env), options.session)}\n`,
    );
  }
  return EXIT.ok;
}

function headline(io: Io, { kind, active, undone, messages = 0, outputs = 0 }: WireCompaction): string {
  const state = undone
    ? say(io, ", taken back")
    : active || kind === "failed"
      ? ""
      : say(io, ", replaced by a later one");
  if (kind === "summary")
    return say(io, "summary of {0}{1}", sayCount(io, messages, "1 message", "{0} messages"), state);
  if (kind === "outputs")
    return say(io, "output of {0} left out{1}", sayCount(io, outputs, "1 call", "{0} calls"), state);
  return say(io, "could not be summed up");
}

function details(
  io: Io,
  { summary, quotes = [], failed, model, tokensBefore, tokensAfter }: WireCompaction,
): string[] {
  const size =
    tokensBefore === undefined || tokensAfter === undefined
      ? ""
      : say(io, "about {0} → {1} tokens", tokensBefore, tokensAfter);
  const by = model === undefined ? "" : say(io, "by {0}", model);
  const facts = [by, size].filter((part) => part !== "").join(", ");
  return [
    ...(facts === "" ? [] : [facts]),
    ...(failed === undefined ? [] : [failed]),
    ...(summary === undefined ? [] : summary.split("\n")),
    ...(quotes.length === 0 ? [] : [say(io, "In your own words:"), ...quotes.map(({ text }) => `> ${text}`)]),
  ];
}

/** Both are runs, which may have to wait for another; what came of one is told at its end. */
async function told(
  io: Io,
  { client }: SessionsDeps,
  json: boolean,
  method: "sessions.compact" | "sessions.uncompact",
  params: { readonly sessionKey: string },
): Promise<number> {
  const ended = Promise.withResolvers<string>();
  let runId: string | undefined;
  const early = new Map<string, () => void>();
  const stop = client.onPush((push) => {
    if (!isPush(push, "chat.final") && !isPush(push, "chat.error")) return;
    const { data } = push;
    const settle = isPush(push, "chat.error")
      ? () => ended.reject(new FailureError(failure(push.data.code as FailureReason, push.data.message)))
      : () => ended.resolve(data.text);
    if (data.runId === runId) settle();
    else early.set(data.runId, settle);
  });
  try {
    ({ runId } = await client.call(method, params));
    void client.closed.then(() => ended.reject(new FailureError(failure("NETWORK", GONE))));
    early.get(runId)?.();
    const text = await ended.promise;
    io.stdout.write(json ? `${JSON.stringify({ runId, text })}\n` : `${visibleText(text)}\n`);
    return EXIT.ok;
  } finally {
    stop();
  }
}

const GONE = "The gateway went away. What was asked of it is kept, and is done when it is back.";
