import { summaryPieces } from "@elwood/core/compaction/summary-prompt";
import { LocalTime } from "@elwood/core/base/local-time";
import { textOf, type Block, type Message } from "@elwood/core/message/message";
import type { Run } from "@elwood/core/message/session";
import type { SessionActivityItem } from "@elwood/core/tool/activity";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { toModelMessages } from "./history.ts";
import { UNDOS_TOLD_MAX, withUndone } from "./undone.ts";

const RUN = { id: "run_9", sessionId: "ses_1" } as Run;
const TIME = new LocalTime("UTC");

let made = 0;
function message(role: Message["role"], blocks: Block[], more: Partial<Message> = {}): Message {
  const origin = role === "user" ? "owner" : role === "assistant" ? "model" : "tool";
  return { id: `msg_${(made += 1)}`, ts: made, role, origin, blocks, ...more };
}

const text = (words: string): Block => ({ type: "text", text: words });
const CALLED = message("assistant", [
  { type: "tool_use", callId: "call_1", toolId: "files.file.delete", input: {} },
]);
const ASKED = message("user", [text("is it gone now?")]);

function item(more: Partial<SessionActivityItem>): SessionActivityItem {
  return {
    cite: "c1",
    callId: "call_1",
    toolId: "files.file.delete",
    status: "succeeded",
    when: 1,
    receiptRef: "rcp_1",
    target: "server.log",
    risk: "destructive",
    summary: "",
    runId: "run_1",
    ...more,
  };
}
const DELETED = item({ undone: true });
const UNDO = item({ cite: "c2", callId: "call_2", undoes: "call_1" });

async function told(
  earlier: readonly Message[],
  items: readonly SessionActivityItem[] | Error,
  steps: readonly Message[] = [ASKED],
) {
  const added: Message[] = [];
  const logged: string[] = [];
  const log = (words: string) => logged.push(words);
  const deps = {
    clock: new ManualClock(),
    ids: new FixedIds(),
    log: { error: log, warn: log, info: log, debug: log },
    stores: {
      runs: { addStep: async (_tenant: string, _run: string, step: Message) => void added.push(step) },
    },
    tools: {
      sessionActivity: async () => {
        if (items instanceof Error) throw items;
        return items;
      },
    },
  } as unknown as Parameters<typeof withUndone>[0];
  const after = await withUndone(deps, { tenant: "default", run: RUN, earlier }, steps);
  return { after, added, logged };
}

test("an undo is journaled and told beside the owner's next words, by the number of its call and its own", async () => {
  const { after, added } = await told([CALLED], [DELETED, UNDO]);
  expect(after).toEqual([ASKED, ...added]);
  const [, shown] = toModelMessages([CALLED, ...after], TIME).filter(({ role }) => role !== "tool");
  expect(textOf(shown!)).toMatch(/is it gone now\?\n\n\[Elwood, not the owner\]/);
  expect(textOf(shown!)).toContain(
    "[c1] files.file.delete → server.log: undone by the owner; that undo is [c2]",
  );
});

test("an undo that failed is told as one, so that no number is missing", async () => {
  const { added } = await told([CALLED], [item({}), { ...UNDO, status: "failed" }]);
  expect(textOf(added[0]!)).toContain("the owner tried to undo it with [c2]: failed");
});

test("what was told is not told again, until a summary stands in its place", async () => {
  const first = await told([CALLED], [DELETED, UNDO]);
  const earlier = [CALLED, ...first.after, message("assistant", [text("No.")])];
  expect((await told(earlier, [DELETED, UNDO])).added).toEqual([]);
  // Whoever sums it up is told as well.
  expect(summaryPieces(earlier, TIME, 10_000).join("\n")).toContain("undone by the owner");
  const summary: Block = {
    type: "compaction",
    summary: "The log was deleted.",
    from: earlier[0]!.id,
    to: earlier.at(-1)!.id,
  };
  const summed = [...earlier, message("assistant", [summary], { origin: "gateway" })];
  expect((await told(summed, [DELETED, UNDO])).added).toHaveLength(1);
});

test("a run that has begun is told nothing more, and neither is a conversation without calls or undos", async () => {
  const begun = [ASKED, message("assistant", [text("Well,")])];
  expect((await told([CALLED], [DELETED, UNDO], begun)).added).toEqual([]);
  expect((await told([ASKED], new Error("not asked for"))).logged).toEqual([]);
  expect((await told([CALLED], [item({})])).added).toEqual([]);
});

test("of very many undos the newest are told", async () => {
  const many = Array.from({ length: UNDOS_TOLD_MAX + 3 }, (_, n) =>
    item({ cite: `c${n + 1}`, callId: `call_u${n}`, undoes: `call_${n}` }),
  );
  const { added } = await told([CALLED], many);
  expect(added[0]?.meta?.undos).toHaveLength(UNDOS_TOLD_MAX);
  expect(added[0]?.meta?.undos?.at(-1)).toBe(many.at(-1)?.callId);
});

test("a ledger that cannot be read costs the note, not the run", async () => {
  const { after, logged } = await told([CALLED], new Error("disk"));
  expect(after).toEqual([ASKED]);
  expect(logged).toEqual(["what was undone could not be looked up; the run goes on without"]);
});
