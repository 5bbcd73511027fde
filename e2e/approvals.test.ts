import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  DELETE,
  fileIn,
  finalOf,
  pendingOf,
  READ,
  receiptsIn,
  resolved,
  runCalls,
  trail,
  WRITE,
  type Scene,
} from "./act-scene.ts";
import { Wire } from "./conformance/wire.ts";
import { openSession, send } from "./conversation.ts";

describe("on a running gateway", () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await actScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test("the first answer wins, the second is told the first, and both clients see who decided where", async () => {
    const [web, phone] = [await scene.other("web"), await scene.other("phone")];
    const { runId } = await runCalls(scene, [WRITE("first.txt", "x")]);
    const { approvalId } = await asked(web, runId);
    expect((await asked(phone, runId)).approvalId).toBe(approvalId);
    const [allow, deny] = await Promise.all([
      web.result("exec.approve", { approvalId }),
      phone.result("exec.deny", { approvalId, reason: "too late" }),
    ]);
    expect([allow["ok"], deny["ok"]].filter(Boolean)).toHaveLength(1);
    expect(allow["decided"]).toEqual(deny["decided"]);
    const { status } = allow["decided"] as { status: string };
    for (const wire of [web, phone]) {
      expect(await resolved(wire, approvalId)).toMatchObject({
        decided: status,
        by: { kind: "owner", id: "owner" },
        surface: status === "approved" ? "web" : "phone",
      });
    }
    await finalOf(scene.owner, runId);
    expect(fileIn(scene.home, "first.txt").text).toBe(status === "approved" ? "x" : undefined);
    await Promise.all([web.close(), phone.close()]);
  });

  test("the same answer twice, and one long after, decide nothing more and run nothing twice", async () => {
    const { runId } = await runCalls(scene, [WRITE("twice.txt", "x")]);
    const { approvalId } = await asked(scene.owner, runId);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => scene.owner.result("exec.approve", { approvalId })),
    );
    await finalOf(scene.owner, runId);
    const late = await scene.owner.result("exec.deny", { approvalId, reason: "changed my mind" });
    expect(late).toMatchObject({ ok: false, decided: { status: "approved", decision: "once" } });
    expect(new Set(answers.map((a) => JSON.stringify(a["decided"]))).size).toBe(1);
    expect(trail(scene.home, runId)).toEqual(["requested", "asked", "approved", "started", "succeeded"]);
  });

  test("an id that nobody knows is refused, whatever it looks like", async () => {
    for (const approvalId of ["apr_00000000000000000000000000", "x", "../../keys", "' OR 1=1 --"]) {
      for (const method of ["exec.approve", "exec.deny"]) {
        const { error } = await scene.owner.ask(method, { approvalId });
        expect(error, approvalId).toMatchObject({ code: -32003, data: { reason: "NOT_FOUND" } });
        expect(error?.message).toContain("Nothing was decided");
      }
    }
  });

  test("a question is no approval, and an approval no question", async () => {
    const { runId, told } = await runCalls(scene, [
      { tool: "owner.question.choose", input: { question: "Tea?", options: ["yes", "no"] } },
    ]);
    const asking = await scene.owner.until(
      (f) => f.event === "owner.question" && f.data?.["runId"] === runId,
    );
    expect(asking.data).toMatchObject({ question: "Tea?", options: ["yes", "no"], kind: "question" });
    const questionId = asking.data!["questionId"];
    expect((await scene.owner.ask("exec.approve", { approvalId: questionId })).error?.message).toContain(
      "is a question",
    );
    // What it offers is an offer: the owner may answer with something else.
    expect(await scene.owner.result("owner.answer", { questionId, answer: "coffee" })).toMatchObject({
      ok: true,
    });
    expect(await scene.owner.result("owner.answer", { questionId, answer: "yes" })).toMatchObject({
      ok: false,
      decided: { status: "answered", note: "coffee" },
    });
    // Nobody approves a question by answering it.
    const { approval } = await scene.owner.result("approvals.get", { approvalId: questionId });
    expect(approval).toMatchObject({ kind: "question", decided: { status: "answered" } });
    await finalOf(scene.owner, runId);
    expect(told()[0]).toContain("The owner answers: coffee");

    const write = await runCalls(scene, [WRITE("q.txt", "x")]);
    const { approvalId } = await asked(scene.owner, write.runId);
    const { error } = await scene.owner.ask("owner.answer", { questionId: approvalId, answer: "yes" });
    expect(error?.data?.reason).toBe("NOT_FOUND");
    await scene.owner.result("exec.deny", { approvalId });
    await finalOf(scene.owner, write.runId);
  });

  test("an option is picked by its number or its text, and names what a move in the owner's folder is about", async () => {
    for (const [answer, name] of [
      ["2", "by-number.txt"],
      ["Archive/", "by-text.txt"],
      ["old/", "by-words.txt"],
    ] as const) {
      const folder = name === "by-words.txt" ? "old/" : "archive/";
      fileIn(scene.home, name).put("x");
      const sessionKey = await openSession(scene.owner);
      const question = { question: "Where to?", options: ["lists/", "archive/", "leave it here"] };
      const words = scene.model.plan([
        [{ tool: "owner.question.choose", input: question }],
        [{ tool: "files.file.move", input: { from: name, to: `${folder}${name}` } }],
      ]);
      const runId = await send(scene.owner, sessionKey, `${words} Move ${name} somewhere.`);
      const asking = await scene.owner.until(
        (f) => f.event === "owner.question" && f.data?.["runId"] === runId,
      );
      const { questionId } = asking.data as { questionId: string };
      expect(await scene.owner.result("owner.answer", { questionId, answer })).toMatchObject({
        ok: true,
        decided: { note: folder },
      });
      // Nobody was asked: the run comes to its end by itself.
      const { evidence } = await finalOf(scene.owner, runId);
      expect(evidence).toContain(`✓ Moved ${name} to ${folder}${name}`);
    }
  });

  test("a token with the scope chat sees what is asked, and can decide nothing", async () => {
    const { token } = (await scene.owner.result("tokens.create", { name: "program", scopes: ["chat"] })) as {
      token: string;
    };
    const program = await Wire.authenticated(scene.gateway.url, token, { name: "program" });
    const { runId, sessionKey } = await runCalls(scene, [WRITE("scope.txt", "x")], { wire: program });
    const { approvalId } = await asked(program, runId);
    for (const [method, params] of [
      ["exec.approve", { approvalId }],
      ["exec.deny", { approvalId }],
      ["owner.answer", { questionId: approvalId, answer: "yes" }],
      ["grants.revoke", { grantId: "grt_1" }],
      ["calls.undo", { callId: "call_1" }],
      ["gateway.stop_all", {}],
    ] as const) {
      const { error } = await program.ask(method, params);
      expect(error, method).toMatchObject({ code: -32002, data: { reason: "SCOPE_MISSING" } });
      expect(error?.message, method).toContain('"approve"');
    }
    expect((await pendingOf(program)).map((a) => a.approvalId)).toEqual([approvalId]);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(program, runId);
    expect(fileIn(scene.home, "scope.txt").text).toBe("x");
    expect(sessionKey).toMatch(/^ses_/);
    await program.close();
  });

  test("stop all: waiting runs end, their questions are withdrawn, grants are gone, and it is on record", async () => {
    const granted = await runCalls(scene, [WRITE("granted.txt", "1")]);
    const first = await asked(scene.owner, granted.runId);
    await scene.owner.result("exec.approve", { approvalId: first.approvalId, decision: "always" });
    await finalOf(scene.owner, granted.runId);
    const runs = [
      await runCalls(scene, [DELETE("granted.txt")]),
      await runCalls(scene, [WRITE("b.txt", "x")]),
    ];
    const cards = [await asked(scene.owner, runs[0]!.runId), await asked(scene.owner, runs[1]!.runId)];
    expect(await scene.owner.result("gateway.stop_all")).toEqual({
      runsStopped: 2,
      jobsPaused: 1,
      grantsRevoked: 1,
    });
    for (const [i, { runId }] of runs.entries()) {
      const end = await finalOf(scene.owner, runId);
      expect(end.aborted).toBe(true);
      expect(await resolved(scene.owner, cards[i]!.approvalId)).toMatchObject({ decided: "denied" });
    }
    expect(await pendingOf(scene.owner)).toEqual([]);
    expect(await scene.owner.result("grants.list")).toEqual({ grants: [] });
    expect(fileIn(scene.home, "granted.txt").text).toBe("1");
    expect(receiptsIn(scene.home, { type: "policy.changed" }).at(-1)?.payload).toMatchObject({
      what: "stop_all",
      runsStopped: 2,
      grantsRevoked: 1,
    });
  });

  test("undo over the socket puts the file back, once, and leaves receipts of its own", async () => {
    const file = fileIn(scene.home, "undo.txt");
    file.put("before\n");
    const { runId, sessionKey } = await runCalls(scene, [WRITE("undo.txt", "after\n")]);
    const { approvalId, callId } = await asked(scene.owner, runId);
    await scene.owner.result("exec.approve", { approvalId });
    await finalOf(scene.owner, runId);
    expect(file.text).toBe("after\n");
    const other = await scene.other();
    expect(await scene.owner.result("calls.undo", { callId })).toMatchObject({ ok: true });
    expect(file.text).toBe("before\n");
    // Whoever shows the call is told.
    const told = await other.until((f) => f.event === "call.undone");
    expect(told.data).toEqual({ callId, runId, sessionKey });
    const again = await scene.owner.ask("calls.undo", { callId });
    expect(again.error?.message).toContain("undone before");
    expect(trail(scene.home, runId).slice(5)).toEqual([
      "requested",
      "approved",
      "started",
      "succeeded",
      "undone",
    ]);
    expect(await scene.owner.result("runs.activity", { runId })).toMatchObject({
      activity: [
        { callId, undone: true },
        { undoes: callId, status: "succeeded" },
      ],
      evidence: "↩ Wrote undo.txt (undone since)",
      sentences: [],
    });
  });

  test("what cannot be undone says so, and does nothing", async () => {
    fileIn(scene.home, "look.txt").put("x");
    const { runId } = await runCalls(scene, [READ("look.txt")]);
    const { activity } = await finalOf(scene.owner, runId);
    const { callId } = activity[0] as { callId: string };
    expect((await scene.owner.ask("calls.undo", { callId })).error?.message).toContain("cannot be undone");
    const unknown = await scene.owner.ask("calls.undo", { callId: "call_00000000000000000000000000" });
    expect(unknown.error?.data?.reason).toBe("NOT_FOUND");
  });

  test("the log that all of this left is intact", async () => {
    expect(await scene.owner.result("receipts.verify")).toMatchObject({
      verdict: { status: "intact", unsealed: 0 },
    });
  });
});
