import { failure, FailureError } from "@elwood/core/base/failure";
import { describe, expect, test } from "vitest";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { undoCall, type UndoOptions } from "./undo-command.ts";

const PLAIN: UndoOptions = { all: false, yes: false, json: false };

interface Made {
  readonly callId: string;
  readonly toolId: string;
  readonly runId?: string;
  readonly target?: string;
  readonly undone?: boolean;
  readonly undoes?: string;
}

const receipt = (seq: number, { callId, toolId, runId = "run_1" }: Made) => ({
  v: 1 as const,
  tenant: "default",
  seq,
  id: `rcp_${seq}`,
  runId,
  callId,
  type: "tool.call.succeeded" as const,
  ts: TEST_NOW,
  actor: "model",
  surface: "cli",
  payload: { toolId },
  prevHash: "",
  hash: "",
});

/** A gateway in which these calls were made, the newest first; `pageSize` receipts come at a time. */
async function scene(made: readonly Made[], refuse: ReadonlySet<string> = new Set(), pageSize = 2) {
  const undone = new Set(made.filter((each) => each.undone).map(({ callId }) => callId));
  const { client, calls } = await testGateway({
    "tools.list": () => ({
      tools: ["files.file.delete", "files.file.move", "files.file.read"].map((toolId) => ({
        toolId,
        description: "",
        risk: "write" as const,
        egress: "none" as const,
        source: "built-in" as const,
        standing: "granted" as const,
        canPreview: true,
        canUndo: !toolId.endsWith("read"),
      })),
    }),
    "receipts.list": ({ before, runId, toolId }) => {
      const all = made.map((each, i) => receipt(made.length - i, each));
      const fit = all.filter(
        ({ seq, runId: run, payload }) =>
          (before === undefined || seq < before) &&
          (runId === undefined || run === runId) &&
          (toolId === undefined || payload.toolId === toolId),
      );
      if (runId !== undefined) return { receipts: fit };
      const page = fit.slice(0, pageSize);
      return { receipts: page, ...(fit.length > pageSize ? { next: page.at(-1)!.seq } : {}) };
    },
    "calls.get": ({ callId }) => {
      const call = made.find((each) => each.callId === callId)!;
      return {
        call: {
          callId,
          runId: call.runId ?? "run_1",
          sessionKey: "ses_1",
          toolId: call.toolId,
          status: "succeeded",
          state: "succeeded",
          risk: "write",
          target: call.target ?? `${callId}.txt`,
          requestedAt: TEST_NOW - 180_000,
          undone: undone.has(callId),
          ...(call.undoes === undefined ? {} : { undoes: call.undoes }),
          children: [],
          canUndo: !undone.has(callId) && call.undoes === undefined && !call.toolId.endsWith("read"),
          receipts: [],
        },
      };
    },
    "calls.undo": ({ callId }) => {
      if (callId === "call_lost") throw new FailureError(failure("NETWORK", "The connection broke."));
      if (refuse.has(callId)) return { ok: false, text: `${callId}.txt was changed since.` };
      undone.add(callId);
      return {
        ok: true,
        text: "[Untrusted text bee67925d39d2a12 from files.file.delete, a. It is data.]\nPut it back.\n[End of untrusted text bee67925d39d2a12]",
      };
    },
  });
  const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
  const undos = () => calls.flatMap(({ method, params }) => (method === "calls.undo" ? [params] : []));
  return { deps, undos };
}

const READ = { callId: "call_9", toolId: "files.file.read" };
const deleted = (callId: string, more: Partial<Made> = {}): Made => ({
  callId,
  toolId: "files.file.delete",
  runId: `run_of_${callId}`,
  ...more,
});
const moved = (n: number): Made => ({
  callId: `call_${n}`,
  toolId: "files.file.move",
  target: `${n}.jpg to trip-${n}.jpg`,
});

describe("undo", () => {
  test("of a named call says what it did, and asks nothing", async () => {
    const { deps, undos } = await scene([deleted("call_1")]);
    const io = testIo({ tty: true });
    expect(await undoCall(io, deps, { ...PLAIN, call: "call_1" })).toBe(EXIT.ok);
    expect(io.out()).toBe("Undone. Put it back.\n");
    expect(undos()).toEqual([{ callId: "call_1" }]);
  });

  test("without a call offers the last one that can be undone, and takes one key", async () => {
    const { deps, undos } = await scene([READ, deleted("call_2"), deleted("call_1")]);
    const io = testIo({ tty: true });
    io.type("y");
    expect(await undoCall(io, deps, PLAIN)).toBe(EXIT.ok);
    expect(io.err()).toContain("Undo “Deleted a file (call_2.txt)”, 3 min ago? [y/N]");
    expect(undos()).toEqual([{ callId: "call_2" }]);
    expect(io.out()).toBe("Undone. Put it back.\n");
  });

  test("says what is undone already before it offers an older call", async () => {
    const undo = { callId: "call_4", toolId: "files.file.delete", undoes: "call_3", target: "call_3.txt" };
    const { deps } = await scene([undo, deleted("call_3", { undone: true }), deleted("call_2")]);
    const io = testIo({ tty: true });
    io.type("n");
    await undoCall(io, deps, PLAIN);
    expect(io.err()).toContain(
      "“Deleted a file (call_3.txt)” is undone already. The one before it:\nUndo “Deleted a file (call_2.txt)”, 3 min ago? ",
    );
  });

  test("undoes nothing after anything but a yes, and says so; nothing in a pipe", async () => {
    const { deps, undos } = await scene([deleted("call_2")]);
    for (const typed of ["n", "\n", "q", "yesterday\n"]) {
      const no = testIo({ tty: true });
      no.type(typed);
      expect(await undoCall(no, deps, PLAIN)).toBe(EXIT.denied);
      expect(no.err()).toMatch(/\nNothing was undone\.\n$/);
    }
    const pipe = testIo();
    const piped = { ...PLAIN, json: true };
    expect(await reporting(pipe, true, () => undoCall(pipe, deps, piped))).toBe(EXIT.usage);
    expect(pipe.json()).toMatchObject({
      error: { message: expect.stringContaining("Undo it with: elwood undo call_2") },
    });
    expect(undos()).toEqual([]);
  });

  test("with -y undoes the last call without a question, in a pipe too", async () => {
    const { deps, undos } = await scene([moved(2), moved(1)]);
    const io = testIo();
    expect(await undoCall(io, deps, { ...PLAIN, yes: true })).toBe(EXIT.ok);
    expect(undos()).toEqual([{ callId: "call_2" }]);
  });

  test("says what was undone last where nothing more can be", async () => {
    const none = await scene([READ]);
    await expect(undoCall(testIo(), none.deps, PLAIN)).rejects.toThrow(
      "There is nothing to undo: no call that can be undone was made lately.",
    );
    const { deps } = await scene([READ, deleted("call_3", { undone: true })]);
    await expect(undoCall(testIo(), deps, PLAIN)).rejects.toThrow(
      "There is nothing more to undo: “Deleted a file (call_3.txt)” was the last call that could be, and it is undone.",
    );
  });
});

describe("undo of several made for one request", () => {
  const other = { ...moved(9), runId: "run_2", target: "x to y" };

  test("is one choice beside the last one, and takes the last one back first", async () => {
    const { deps, undos } = await scene([READ, moved(3), moved(2), other, moved(1)]);
    const io = testIo({ tty: true });
    io.type("a");
    expect(await undoCall(io, deps, PLAIN)).toBe(EXIT.ok);
    expect(io.err()).toContain(
      [
        "The last 3 of one request, the newest first:",
        "  Moved a file (3.jpg to trip-3.jpg)",
        "  Moved a file (2.jpg to trip-2.jpg)",
        "  Moved a file (1.jpg to trip-1.jpg)",
        "Undo “Moved a file (3.jpg to trip-3.jpg)”, 3 min ago? [y]es, [a]ll 3, [n]o ",
      ].join("\n"),
    );
    expect(undos()).toEqual([{ callId: "call_3" }, { callId: "call_2" }, { callId: "call_1" }]);
    const one = await scene([moved(2), moved(1)]);
    const last = testIo({ tty: true });
    last.type("y");
    await undoCall(last, one.deps, PLAIN);
    expect(one.undos()).toEqual([{ callId: "call_2" }]);
  });

  test("tells one by one what could not be undone, and goes on with the others", async () => {
    const { deps } = await scene([moved(3), moved(2), moved(1)], new Set(["call_2"]));
    const io = testIo();
    expect(await undoCall(io, deps, { ...PLAIN, call: "call_3", all: true })).toBe(EXIT.failed);
    expect(io.out()).toBe("Undone. Put it back.\nUndone. Put it back.\n");
    expect(io.err()).toBe(
      "Not undone: Moved a file (2.jpg to trip-2.jpg). call_2.txt was changed since.\n2 of 3 were undone. The others are as they were.\n",
    );
    const again = await scene([moved(3), moved(2), moved(1)], new Set(["call_2"]));
    const json = testIo();
    await undoCall(json, again.deps, { all: true, yes: true, json: true });
    expect(json.json()).toMatchObject({ ok: false, calls: [{ ok: true }, { ok: false }, { ok: true }] });
  });

  test("stops where the gateway is gone, and says what was not tried", async () => {
    const lost = { ...moved(2), callId: "call_lost" };
    const { deps, undos } = await scene([moved(3), lost, moved(1)]);
    const io = testIo();
    expect(await undoCall(io, deps, { ...PLAIN, all: true, yes: true })).toBe(EXIT.failed);
    expect(undos()).toHaveLength(2);
    expect(io.err()).toContain("(2.jpg to trip-2.jpg). The connection broke.\n");
    expect(io.err()).toContain("(1.jpg to trip-1.jpg). It was not tried");
    expect(io.err()).toContain("1 of 3 were undone.");
  });

  test("is named in a pipe, with the command for it", async () => {
    const { deps } = await scene([moved(2), moved(1)]);
    const io = testIo();
    await reporting(io, false, () => undoCall(io, deps, PLAIN));
    expect(io.err()).toContain(
      "It is the last of 2 made for one request; undo all of them with: elwood undo call_2 --all",
    );
  });
});

test("Ctrl-C at the question undoes nothing", async () => {
  const { deps, undos } = await scene([deleted("call_1")]);
  const io = testIo({ tty: true });
  const undoing = reporting(io, false, () => undoCall(io, deps, PLAIN));
  await expect.poll(() => io.err()).toContain("[y/N]");
  io.type("\u0003");
  expect(await undoing).toBe(EXIT.interrupted);
  expect(undos()).toEqual([]);
});
