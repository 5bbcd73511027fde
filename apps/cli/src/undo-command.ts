import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { unframed } from "@elwood/core/message/untrusted-frame";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import { deedOf } from "@elwood/core/tool/tool-words";
import type { GatewayClient } from "@elwood/sdk/client";
import type { ApprovalsDeps } from "./approvals-command.ts";
import { canAsk, readKey } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { agoText, failureText, gatewayText, say } from "./words/say.ts";

export interface UndoOptions {
  /** Absent: the last one that can be undone. */
  readonly call?: string;
  /** With it, all calls of its kind that were made for the same request. */
  readonly all: boolean;
  /** Nobody is asked. */
  readonly yes: boolean;
  readonly json: boolean;
}

/**
 * `elwood undo [call]`: without a call, the last one that can be undone, once somebody at
 * the terminal agreed. Where several of its kind were made for one request, all of them can be
 * undone with one key, the last one first. Where nobody is there, it says which calls these are
 * and does nothing.
 */
export async function undoCall(io: Io, deps: ApprovalsDeps, options: UndoOptions): Promise<number> {
  const calls = options.call === undefined ? await offered(io, deps, options) : await named(deps, options);
  if (calls === undefined) {
    io.stderr.write(`${say(io, "Nothing was undone.")}\n`);
    return EXIT.denied;
  }
  const [only, ...more] = calls;
  if (only !== undefined && more.length === 0) return undoOne(io, deps.client, only.callId, options.json);
  return undoAll(io, deps.client, calls, options.json);
}

async function undoOne(io: Io, client: GatewayClient, callId: string, json: boolean): Promise<number> {
  const { ok, text } = await client.call("calls.undo", { callId });
  // What the tool said comes as the model would be told it.
  const said = unframed(text);
  if (json) io.stdout.write(`${JSON.stringify({ callId, ok, text: said })}\n`);
  else
    (ok ? io.stdout : io.stderr).write(
      `${say(io, ok ? "Undone. {0}" : "Not undone. {0}", io.stdout.isTTY ? visibleText(said) : said)}\n`,
    );
  return ok ? EXIT.ok : EXIT.failed;
}

/** The last one first, since a later call may rest on what an earlier one did. */
async function undoAll(
  io: Io,
  client: GatewayClient,
  calls: readonly Named[],
  json: boolean,
): Promise<number> {
  const results: { readonly callId: string; readonly ok: boolean; readonly text: string }[] = [];
  for (const [i, { callId }] of calls.entries()) {
    try {
      const { ok, text } = await client.call("calls.undo", { callId });
      results.push({ callId, ok, text: json ? unframed(text) : gatewayText(io, unframed(text)) });
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      results.push({
        callId,
        ok: false,
        text: json ? error.failure.message : failureText(io, error.failure),
      });
      const rest = calls
        .slice(i + 1)
        .map((each) => ({ callId: each.callId, ok: false, text: say(json ? {} : io, NOT_TRIED) }));
      results.push(...rest);
      break;
    }
  }
  const done = results.filter(({ ok }) => ok).length;
  const all = done === results.length;
  if (json) {
    io.stdout.write(`${JSON.stringify({ ok: all, calls: results })}\n`);
    return all ? EXIT.ok : EXIT.failed;
  }
  const shown = (text: string) => (io.stdout.isTTY ? visibleText(text) : text);
  for (const { ok, text } of results) if (ok) io.stdout.write(`${say(io, "Undone. {0}", shown(text))}\n`);
  if (all) return EXIT.ok;
  for (const [i, { ok, text }] of results.entries())
    if (!ok) io.stderr.write(`${say(io, "Not undone: {0}. {1}", shown(wordsOf(calls[i])), shown(text))}\n`);
  io.stderr.write(
    `${say(io, "{0} of {1} were undone. The others are as they were.", done, results.length)}\n`,
  );
  return EXIT.failed;
}

const NOT_TRIED = "It was not tried, because the one before it could not be asked for.";

type Named = Pick<WireCall, "callId" | "target" | "toolId">;

async function named({ client }: ApprovalsDeps, options: UndoOptions): Promise<readonly Named[]> {
  const callId = options.call ?? "";
  if (!options.all) return [{ callId, toolId: "" }];
  const { call } = await client.call("calls.get", { callId });
  return alikeUndoable(client, call);
}

/** What the owner wants undone of the last calls that can be; undefined where nothing. */
async function offered(
  io: Io,
  deps: ApprovalsDeps,
  options: UndoOptions,
): Promise<readonly Named[] | undefined> {
  const { last, undone } = await lastUndoable(deps.client);
  if (last === undefined)
    return fail(
      "NOT_FOUND",
      undone === undefined
        ? "There is nothing to undo: no call that can be undone was made lately."
        : `There is nothing more to undo: “${wordsOf(undone)}” was the last call that could be, and it is undone.`,
    );
  const alike = await alikeUndoable(deps.client, last);
  if (options.yes) return options.all ? alike : [last];
  const when = agoText(io, last.endedAt ?? last.requestedAt, deps.clock.now(), deps.timeZone);
  const what = `“${wordsOf(last)}”, ${when}`;
  const self = ownName(io.env);
  if (!canAsk(io)) {
    const one = `The last call that can be undone is ${what}. Nothing was undone. Undo it with: ${self} undo ${last.callId}`;
    return fail(
      "INVALID_INPUT",
      alike.length > 1
        ? `${one} It is the last of ${alike.length} made for one request; undo all of them with: ${self} undo ${last.callId} --all`
        : one,
    );
  }
  if (undone)
    io.stderr.write(
      `${say(io, "“{0}” is undone already. The one before it:", visibleText(wordsOf(undone)))}\n`,
    );
  if (alike.length > 1) {
    io.stderr.write(`${say(io, "The last {0} of one request, the newest first:", alike.length)}\n`);
    for (const call of alike) io.stderr.write(`  ${visibleText(wordsOf(call))}\n`);
  }
  if (options.all)
    return (await pressed(io, say(io, "Undo all {0}? [y/N] ", alike.length))) === "y" ? alike : undefined;
  const keys = alike.length > 1 ? say(io, "[y]es, [a]ll {0}, [n]o ", alike.length) : say(io, "[y/N] ");
  const key = await pressed(io, say(io, "Undo {0}? {1}", visibleText(what), keys));
  if (key === "a" && alike.length > 1) return alike;
  return key === "y" ? [last] : undefined;
}

/** One key, as at approvals. Anything that is not offered means no. */
async function pressed(io: Io, question: string): Promise<string> {
  const line = await readKey(io, question, new AbortController().signal);
  if (line.kind === "interrupted") fail("ABORTED", "Nothing was undone.");
  if (line.kind !== "line") return "";
  const key = line.text.trim().toLowerCase();
  return key === "yes" ? "y" : key;
}

/** "Moved a file (a.txt to b.txt)" */
function wordsOf(call: Pick<WireCall, "toolId" | "target"> | undefined): string {
  if (call === undefined) return "";
  return `${deedOf(call.toolId).done}${call.target === undefined ? "" : ` (${call.target})`}`;
}

const UNDO_PAGES_MAX = 5;
/** So many calls of one request are undone together at most. */
const TOGETHER_MAX = 100;

/** The newest call that can be undone, and what was undone since. */
async function lastUndoable(
  client: GatewayClient,
): Promise<{ readonly last?: WireCall; readonly undone?: WireCall }> {
  const { tools } = await client.call("tools.list", {});
  const undoable = new Set(tools.flatMap(({ toolId, canUndo }) => (canUndo ? [toolId] : [])));
  let undone: WireCall | undefined;
  let before: number | undefined;
  for (let page = 0; page < UNDO_PAGES_MAX; page++) {
    const { receipts, next } = await client.call("receipts.list", {
      types: ["tool.call.succeeded"],
      limit: LIMITS.pageSizeMax,
      ...(before === undefined ? {} : { before }),
    });
    for (const { callId, payload } of receipts) {
      if (callId === undefined || !undoable.has(String(payload["toolId"]))) continue;
      const { call } = await client.call("calls.get", { callId });
      if (call.canUndo) return { last: call, ...(undone ? { undone } : {}) };
      if (call.undone || call.undoes !== undefined) undone ??= call;
    }
    if (next === undefined) break;
    before = next;
  }
  return undone ? { undone } : {};
}

/** The calls of the same tool in the same run that can be undone, the newest first. */
async function alikeUndoable(
  client: GatewayClient,
  { callId: own, runId, toolId }: WireCall,
): Promise<readonly Named[]> {
  const { receipts } = await client.call("receipts.list", {
    types: ["tool.call.succeeded"],
    runId,
    toolId,
    limit: TOGETHER_MAX,
  });
  const alike: WireCall[] = [];
  for (const { callId } of receipts) {
    if (callId === undefined) continue;
    const { call } = await client.call("calls.get", { callId });
    if (call.canUndo && call.toolId === toolId && call.runId === runId) alike.push(call);
  }
  if (alike.length === 0) return [{ callId: own, toolId }];
  return alike;
}
