import { compactionLines, coveredText, hasEffect, type CompactionLine } from "@elwood/core/compaction/lines";
import { activeSummary } from "@elwood/core/compaction/shown";
import { fail } from "@elwood/core/base/failure";
import type { Message } from "@elwood/core/message/message";
import type { WireCompaction } from "@elwood/core/protocol/compaction-shapes";
import type { CompactionRequest } from "@elwood/runtime/compaction/request";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import { sha256 } from "@elwood/platform/system";
import type { Handlers, MethodContext } from "./context.ts";

/** Sums up the older part of a session, whatever its size. */
export const compact: Handlers<"sessions.compact", "runs">["sessions.compact"] = async (
  { sessionKey, idempotencyKey },
  context,
) => begin(context, sessionKey, { kind: "compact" }, idempotencyKey);

/** Takes back the newest line that counts, a given one, or all. */
export const uncompact: Handlers<"sessions.uncompact", "sessions" | "runs">["sessions.uncompact"] = async (
  params,
  context,
) => {
  const { sessionKey, compactionId, all, idempotencyKey } = params;
  const { lines } = await linesOf(context, sessionKey);
  const standing = lines.filter((line) => hasEffect(line) && !line.undone);
  const named = standing.filter(({ id }) => compactionId === undefined || id === compactionId);
  const chosen = all ? standing : named.slice(-1);
  if (chosen.length === 0) {
    const what = compactionId === undefined ? "Nothing" : `Nothing called ${compactionId}`;
    fail("NOT_FOUND", `${what} of this session is summed up or left out now. Nothing was changed.`);
  }
  return begin(context, sessionKey, { kind: "undo", ids: chosen.map(({ id }) => id) }, idempotencyKey);
};

/** All such lines, the oldest first, and which of them count. */
export const listCompactions: Handlers<"sessions.compactions", "sessions">["sessions.compactions"] = async (
  { sessionKey },
  context,
) => {
  const { lines, messages } = await linesOf(context, sessionKey);
  const intact = ({ block }: CompactionLine, covered: readonly Message[]) =>
    block.sha256 === undefined || sha256(coveredText(covered)) === block.sha256;
  const shown = activeSummary(messages, lines, { intact })?.line.id;
  return { compactions: lines.map((line) => toWire(line, shown)) };
};

async function begin(
  context: MethodContext<"runs">,
  sessionKey: string,
  request: CompactionRequest,
  idempotencyKey: string | undefined,
): Promise<{ runId: string; repeated?: boolean }> {
  const { engine } = context.services.runs;
  const asked = { principal: context.principal, sessionId: sessionKey, surface: context.surface };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  const { run, repeated } = await engine.submitCompaction({ ...asked, ...key }, request);
  const result = repeated ? { runId: run.id, repeated } : { runId: run.id };
  context.replyNow(result);
  context.follow(run.id);
  if (!repeated) engine.start(context.tenant, run);
  return result;
}

async function linesOf({ services, tenant }: MethodContext<"sessions">, sessionKey: string) {
  const { stores } = services.sessions;
  const session = await stores.sessions.get(tenant, sessionKey);
  if (!session || session.deletedAt !== undefined) fail("NOT_FOUND", `There is no session ${sessionKey}.`);
  const kept = (await sessionMessages(stores, tenant, sessionKey)).messages;
  const messages = kept.map(({ message }) => message);
  return { messages, lines: compactionLines(messages) };
}

function toWire({ id, ts, block, undone }: CompactionLine, shown: string | undefined): WireCompaction {
  const { summary, from, to, quotes, outputs, failed, messages, model, tokensBefore, tokensAfter } = block;
  const kind = failed !== undefined ? "failed" : summary === "" ? "outputs" : "summary";
  return {
    id,
    at: ts,
    kind,
    active: !undone && (kind === "summary" ? id === shown : kind === "outputs"),
    undone,
    from,
    to,
    ...(messages === undefined ? {} : { messages }),
    ...(summary === "" ? {} : { summary }),
    ...(quotes ? { quotes } : {}),
    ...(outputs ? { outputs: outputs.length } : {}),
    ...(failed === undefined ? {} : { failed }),
    ...(block.sha256 === undefined ? {} : { sha256: block.sha256 }),
    ...(model === undefined ? {} : { model }),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
    ...(tokensAfter === undefined ? {} : { tokensAfter }),
  };
}
