import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { ok } from "@elwood/core/base/result";
import { ALLOW, ASK, OWNER, rig, T, tool } from "@elwood/testkit/gate-rig";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLedger } from "@elwood/testkit/memory-ledger";
import { memoryVault } from "@elwood/testkit/memory-vault";
import { expect, test } from "vitest";
import type { Ledger, RegisteredTool } from "../ports/gate-ports.ts";

const ALWAYS = { decision: "always" } as const;

/** A call of a mail tool that waits for the owner. */
async function asked(input: unknown) {
  const r = await rig({ verdict: ASK, vault: memoryVault() });
  const made = tool("mail.message.send", "write", async (sent) => (r.effects.push(sent), ok({ value: {} })));
  const labels = { ...made.contract.labels, egress: "none" as const, critical: ["to"] };
  const mail: RegisteredTool = { ...made, contract: { ...made.contract, labels } };
  r.tools.set("mail.message.send", mail);
  const outcome = r.call("c1", "mail.message.send", await r.gate.storeSecrets(T, "c1", input));
  const approvalId = await r.pending();
  const standing = async () => ({
    status: (await r.ledger.approval(T, approvalId))?.status,
    grants: await r.ledger.grants(T, { at: r.clock.now() }),
  });
  return { r, mail, outcome, approvalId, standing };
}

test("a grant keeps the critical arguments alone, and no secret of the call", async () => {
  const { r, outcome, approvalId, standing } = await asked({ to: "ann", text: "the key is secret-7" });
  await r.approvalService.allow(T, approvalId, OWNER, ALWAYS);
  expect(await outcome).toMatchObject({ status: "ok" });
  expect(r.effects).toEqual([{ to: "ann", text: "the key is secret-7" }]);
  const { grants } = await standing();
  expect(grants).toMatchObject([
    { scope: "call", match: { to: "ann" }, words: expect.stringContaining("ann") },
  ]);
  const receipts = await r.ledger.receipts(T, { limit: 50 });
  expect(JSON.stringify([grants, receipts])).not.toContain("secret-7");
});

test("a permission says in words what it is for and for how long, without the tool's id and JSON", async () => {
  const words = async (how: { scope: "call" | "tool"; minutes: number }) => {
    const { r, approvalId, standing } = await asked({ to: "ann", text: "hello" });
    await r.approvalService.allow(T, approvalId, OWNER, { decision: "window", window: how });
    return (await standing()).grants[0]?.words;
  };
  expect(await words({ scope: "call", minutes: 60 })).toBe(
    "send mail message with to ann, in this session, for an hour",
  );
  expect(await words({ scope: "tool", minutes: 120 })).toBe(
    "send mail message with any input, in this session, for 2 hours",
  );
});

test("a call whose critical argument is a secret can only be allowed once", async () => {
  const { r, outcome, approvalId, standing } = await asked({ to: "secret-7", text: "hello" });
  await expect(r.approvalService.allow(T, approvalId, OWNER, ALWAYS)).rejects.toThrow("only be allowed once");
  expect(await standing()).toEqual({ status: "pending", grants: [] });
  await r.approvalService.allow(T, approvalId, OWNER, { decision: "once" });
  expect(await outcome).toMatchObject({ status: "ok" });
});

test("an edit that brings a secret into a critical argument can only be allowed once, and nothing of it is kept", async () => {
  const { r, approvalId, standing } = await asked({ to: "ann", text: "hello" });
  const edited = { ...ALWAYS, input: { to: "secret-8", text: "hello" } };
  await expect(r.approvalService.allow(T, approvalId, OWNER, edited)).rejects.toThrow("only be allowed once");
  expect(await standing()).toEqual({ status: "pending", grants: [] });
  expect(JSON.stringify(await r.ledger.receipts(T, { limit: 50 }))).not.toContain("secret-8");
});

test("a tool that changed since it was asked about gets no grant", async () => {
  const { r, mail, approvalId, standing } = await asked({ to: "ann", text: "hello" });
  r.tools.set("mail.message.send", { ...mail, contractHash: "another" });
  await expect(r.approvalService.allow(T, approvalId, OWNER, ALWAYS)).rejects.toThrow(
    "changed since you were asked",
  );
  expect(await standing()).toEqual({ status: "pending", grants: [] });
});

test.each(["in the moment it is asked", "a turn later"])(
  "an answer that comes %s reaches the call that waits",
  async (when) => {
    const r = await rig({ verdict: ASK });
    const answered: Promise<unknown>[] = [];
    r.approvals.onEvent(({ kind, approval }) => {
      if (kind !== "requested") return;
      const allow = () => r.approvalService.allow(T, approval.id, OWNER, { decision: "once" });
      answered.push(when === "a turn later" ? Promise.resolve().then(allow) : allow());
    });
    expect(await r.call("c1", "test.thing.write")).toMatchObject({ status: "ok" });
    expect(await Promise.all(answered)).toMatchObject([{ status: "approved" }]);
  },
);

test("of calls that wait side by side each hears its own answer, in whatever order they come", async () => {
  const r = await rig({ verdict: ASK });
  const ids: string[] = [];
  r.approvals.onEvent(({ kind, approval }) => kind === "requested" && ids.push(approval.id));
  const calls = ["c1", "c2", "c3"].map((id) => r.call(id, "test.thing.write"));
  await expect.poll(() => ids.length).toBe(3);
  await r.approvalService.allow(T, ids[1]!, OWNER, { decision: "once" });
  await r.approvalService.deny(T, ids[2]!, OWNER, undefined);
  await r.approvalService.allow(T, ids[0]!, OWNER, { decision: "once" });
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(["ok", "ok", "error"]);
  await expect(r.approvalService.allow(T, "apr_none", OWNER, { decision: "once" })).rejects.toThrow(
    "no approval",
  );
});

test("until a decision is on disk a denial waits for it, and so does another answer to a question", async () => {
  const ledger = memoryLedger({ clock: new ManualClock() });
  let onDisk = Promise.withResolvers<void>();
  const slow: Ledger = {
    ...ledger,
    async write(tenant, unit) {
      const written = await ledger.write(tenant, unit);
      if (written.ok && unit.changes.some(({ kind }) => kind === "approval.decide")) {
        unit.applied?.();
        await onDisk.promise;
      }
      return written;
    },
  };
  const r = await rig({ ledger: slow, verdict: ASK });
  const told: string[] = [];
  const outcome = r.call("c1", "test.thing.write");
  const id = await r.pending();
  const allowed = r.approvalService.allow(T, id, OWNER, { decision: "once" });
  await expect.poll(async () => (await ledger.approval(T, id))?.status).toBe("approved");
  const denied = r.approvalService.deny(T, id, OWNER, undefined).then(({ status }) => told.push(status));
  await nextEventLoopTurn();
  expect(told).toEqual([]);
  onDisk.resolve();
  await Promise.all([allowed, denied, outcome]);
  expect(told).toEqual(["approved"]);

  onDisk = Promise.withResolvers();
  r.verdict = ALLOW;
  r.tools.set(
    "owner.question.ask",
    tool("owner.question.ask", "read", async () => ok({ value: {} })),
  );
  const answer = r.call("c2", "owner.question.ask", { question: "Which day?" });
  const question = await r.pending();
  const first = r.approvalService.reply(T, question, OWNER, "Monday");
  await expect.poll(async () => (await ledger.approval(T, question))?.status).toBe("approved");
  const second = r.approvalService
    .reply(T, question, OWNER, "Friday")
    .then(({ note }) => told.push(note ?? ""));
  await nextEventLoopTurn();
  expect(told).toEqual(["approved"]);
  onDisk.resolve();
  await Promise.all([first, second, answer]);
  expect(told).toEqual(["approved", "Monday"]);
});
