import { cardOf } from "@elwood/core/card/card";
import type { MethodResult } from "@elwood/core/protocol/results";
import { describe, expect, test } from "vitest";
import { listGrants, revokeGrant, stopAll } from "./acting-command.ts";
import {
  allowApproval,
  answerQuestion,
  denyApproval,
  listApprovals,
  showApproval,
} from "./approvals-command.ts";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

type Approval = MethodResult<"approvals.get">["approval"];
type Grant = MethodResult<"grants.list">["grants"][number];

const ID = "apr_01k9zzzzzzaaaaaaaaaaaa0001";
const approval = (more: Partial<Approval> = {}): Approval => {
  const wire = bare(more);
  return { ...wire, card: cardOf(wire) };
};
const bare = (more: Partial<Approval>): Omit<Approval, "card"> => ({
  approvalId: ID,
  kind: "approval",
  callId: "call_1",
  runId: "run_1",
  sessionKey: "ses_1",
  toolName: "files.file.write",
  summary: "Replace notes.txt (12 bytes).",
  details: { path: "notes.txt", content: "new\n" },
  digest: "abc",
  risk: "write",
  preview: { sentence: "Replace notes.txt", before: "old\n", after: "new\n" },
  rule: "authority.none",
  reason: "It changes something.",
  sources: [],
  decisions: ["once", "window", "always"],
  showable: true,
  createdAt: TEST_NOW - 60_000,
  expiresAt: TEST_NOW + 60_000,
  decided: { status: "pending" },
  ...more,
});
const grant: Grant = {
  grantId: "grt_01k9zzzzzzaaaaaaaaaaaa0001",
  toolId: "files.file.write",
  scope: "call",
  words: "write anything in notes/, in “Reminders”, for an hour",
  createdAt: TEST_NOW,
  uses: 2,
  createdBy: { kind: "owner", id: "owner", surface: "web" },
};

async function gateway(
  approvals: Approval[] = [approval()],
  decided: Approval["decided"] = { status: "approved", decision: "once" },
) {
  const { client, calls } = await testGateway({
    "approvals.list": ({ status }) => ({
      approvals: approvals.filter((a) => !status || a.decided.status === status),
    }),
    "approvals.get": () => ({ approval: approvals[0]! }),
    "exec.approve": () => ({ ok: decided.status === "approved", decided }),
    "exec.deny": () => ({ ok: decided.status === "denied", decided }),
    "owner.answer": () => ({ ok: true, decided }),
    "grants.list": () => ({ grants: [grant] }),
    "grants.revoke": () => ({ ok: true }),
    "gateway.stop_all": () => ({ runsStopped: 2, grantsRevoked: 1 }),
  });
  return { deps: { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" }, calls };
}

describe("approvals", () => {
  test("a card says what was read before, the source of its value first", async () => {
    const sources = ["mail.inbox.read (call_1)", "web.page.fetch → example.org (call_2)"];
    const { deps } = await gateway([approval({ sources })]);
    const io = testIo();
    await showApproval(io, deps, { id: ID, details: true, json: false });
    expect(io.out()).toContain(`Read before: ${sources.join(", ")}\n`);
  });

  test("the list shows what waits, and says so where nothing does", async () => {
    const { deps } = await gateway();
    const io = testIo();
    expect(await listApprovals(io, deps, { all: false, json: false })).toBe(EXIT.ok);
    expect(io.out()).toContain("Change notes.txt");
    expect(io.out()).toContain("waiting for you");
    const empty = testIo();
    await listApprovals(empty, (await gateway([])).deps, { all: false, json: false });
    expect(empty.out()).toBe("Nothing waits for you.\n");
  });

  test("one is shown as the prompt shows it: what changes, why, and how long it may be allowed; tool and input are details", async () => {
    const scopes = [{ scope: "similar" as const, words: "write anything in notes/" }];
    const { deps } = await gateway([approval({ scopes })]);
    const io = testIo();
    await showApproval(io, deps, { id: "0001", json: false });
    const card = [
      "Change notes.txt",
      "1 line out, 1 in",
      "  - old",
      "  + new",
      "Asking because you didn't ask for this.",
      "",
      "Decide with: elwood approvals allow aaaa0001 | elwood approvals deny aaaa0001",
      "Write anything in notes/, for the next hour: elwood approvals allow aaaa0001 --for 60 --scope similar",
      "Write anything in notes/, always: elwood approvals allow aaaa0001 --always --scope similar",
      "",
    ];
    const more = "All details: elwood approvals show aaaa0001 --details";
    expect(io.out()).toBe([...card, more, ""].join("\n"));
    const whole = testIo();
    await showApproval(whole, deps, { id: "0001", details: true, json: false });
    expect(whole.out()).toBe(
      [
        ...card,
        "Details",
        "Tool: files.file.write",
        "Why: It changes something.",
        "Rule: authority.none",
        `Approval: ${ID}`,
        "Call: call_1",
        "Digest: abc",
        "",
        "Input:",
        "  path: notes.txt",
        "  content: new",
        "Session: ses_1, run run_1",
        "",
      ].join("\n"),
    );
  });

  test("how to decide names the word to type, and offers no way to allow what is not shown whole", async () => {
    const shown = async (more: Partial<Approval>) => {
      const io = testIo();
      await showApproval(io, (await gateway([approval(more)])).deps, { id: ID, json: false });
      return io.out();
    };
    const confirm = "delete 3 files";
    expect(await shown({ confirm })).toContain("approvals allow aaaa0001 --confirm 'delete 3 files' | ");
    expect(await shown({ showable: false })).toMatch(
      /cannot be allowed[^]*\nDecide with: elwood approvals deny /,
    );
    const question = { kind: "question", summary: "Which day?", options: ["Monday", "Tuesday"] } as const;
    expect(await shown({ ...question, options: [...question.options] })).toMatch(
      /^The assistant asks: Which day\?\n[^]* {2}1\. Monday\n {2}2\. Tuesday\n\nAnswer with: elwood approvals answer aaaa0001/,
    );
  });

  test("what was decided is told in the words of every other place, in the list and shown alone", async () => {
    const by = { kind: "owner", id: "owner", surface: "web" } as const;
    const undone = approval({
      decided: { status: "approved", decision: "once", by },
      call: { status: "succeeded", canUndo: false, undoneAt: TEST_NOW },
    });
    const denied = approval({ decided: { status: "denied", by } });
    const { deps } = await gateway([denied, undone]);
    const list = testIo();
    await listApprovals(list, deps, { all: true, json: false });
    expect(list.out()).toMatch(/⊘ Not changed: notes\.txt .* you denied it on the page\n/);
    expect(list.out()).toMatch(/↩ Changed notes\.txt \+1 −1 .* undone /);
    const one = testIo();
    await showApproval(one, deps, { id: ID, json: false });
    expect(one.out()).toMatch(
      /^⊘ Not changed: notes\.txt · you denied it on the page\n\nChange notes\.txt\n/,
    );
    expect(one.out()).not.toContain("Decide with");
  });

  test("a list names the command that would run", async () => {
    const details = { argv: ["rm", "-rf", "my notes"] };
    const { deps } = await gateway([
      approval({ toolName: "shell.command.run", details, preview: undefined }),
    ]);
    const io = testIo();
    await listApprovals(io, deps, { all: false, json: false });
    expect(io.out()).toContain("Run a command: rm -rf 'my notes'");
  });

  test("a row of the list stays short in a pipe too, however much would run", async () => {
    const argv = ["echo", "word ".repeat(400)];
    const { deps } = await gateway([approval({ toolName: "shell.command.run", details: { argv } })]);
    const io = testIo();
    await listApprovals(io, deps, { all: false, json: false });
    const row = io.out().split("\n")[1]!;
    expect(row).toMatch(/Run a command: echo 'word word .*… {2}/);
    expect(row.length).toBeLessThan(160);
  });

  test("allowing for a while says what runs unasked from now on, for how long, and how to end that", async () => {
    const by = { kind: "owner", id: "owner", surface: "cli" } as const;
    const { grantId } = grant;
    const { deps } = await gateway([approval()], { status: "approved", decision: "window", by, grantId });
    const io = testIo();
    await allowApproval(io, deps, { id: ID, always: false, minutes: 60, scope: "similar", json: false });
    expect(io.out()).toBe(
      "▸ Changing notes.txt… · you allowed it for a while\n" +
        "Allowed without asking: write anything in notes/, in “Reminders”, for an hour. End that with: elwood grants revoke aaaa0001\n",
    );
  });

  test("allowing something else tells of that", async () => {
    const by = { kind: "owner", id: "owner", surface: "cli" } as const;
    const { deps } = await gateway([approval()], { status: "approved", decision: "once", by });
    const io = testIo();
    const input = '{"path":"b.txt","content":""}';
    await allowApproval(io, deps, { id: ID, always: false, input, json: false });
    expect(io.out()).toBe("▸ Changing b.txt… · you edited it first\n");
  });

  test("allowing passes on how long, with which input, and what to tell the assistant", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    const options = {
      id: ID,
      always: false,
      minutes: 30,
      scope: "tool",
      input: '{"path":"b.txt"}',
      note: "ok",
      json: false,
    };
    expect(await allowApproval(io, deps, options)).toBe(EXIT.ok);
    expect(calls.at(-1)?.params).toEqual({
      approvalId: ID,
      decision: "window",
      window: { minutes: 30, scope: "tool" },
      input: { path: "b.txt" },
      note: "ok",
    });
  });

  test("at a terminal, what destroys something is allowed by a typed word only; a script that names it means it", async () => {
    const destroys = approval({
      toolName: "files.file.delete",
      risk: "destructive",
      rule: "ask.destructive",
      details: { path: "notes.txt" },
    });
    for (const [typed, calls] of [
      ["yes", 0],
      ["delete", 1],
    ] as const) {
      const { deps, calls: made } = await gateway([destroys]);
      const io = testIo({ tty: true });
      const allowing = reporting(io, false, () =>
        allowApproval(io, deps, { id: ID, always: false, json: false }),
      );
      await expect.poll(() => io.err()).toContain('Type "delete" to allow it: ');
      io.type(`${typed}\n`);
      await allowing;
      expect(made.filter(({ method }) => method === "exec.approve")).toHaveLength(calls);
    }
    const script = await gateway([destroys]);
    const options = { id: ID, always: false, json: false };
    expect(await allowApproval(testIo(), script.deps, options)).toBe(EXIT.ok);
  });

  test("who comes too late is told the first decision, and fails", async () => {
    const { deps } = await gateway([approval()], {
      status: "approved",
      decision: "once",
      by: { kind: "owner", id: "owner", surface: "telegram" },
    });
    const io = testIo();
    expect(await denyApproval(io, deps, { id: ID, json: false })).toBe(EXIT.failed);
    expect(io.err()).toContain("decided before");
    expect(io.err()).toContain("Telegram");
    const expired = await gateway([approval()], { status: "expired", by: { kind: "expiry" } });
    expect(await allowApproval(testIo(), expired.deps, { id: ID, always: false, json: false })).toBe(
      EXIT.expired,
    );
  });

  test("a broken input or an unknown id decides nothing", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    expect(
      await reporting(io, false, () =>
        allowApproval(io, deps, { id: ID, always: false, input: "{", json: false }),
      ),
    ).toBe(EXIT.usage);
    expect(await reporting(io, false, () => denyApproval(io, deps, { id: "zzzz", json: false }))).toBe(
      EXIT.failed,
    );
    expect(calls.map((c) => c.method)).not.toContain("exec.approve");
    expect(calls.map((c) => c.method)).not.toContain("exec.deny");
  });

  test("without an id the only call that waits is meant, and a question is none", async () => {
    const question = approval({ approvalId: "apr_q", kind: "question", summary: "Which day?" });
    const one = await gateway([question, approval()]);
    expect(await allowApproval(testIo(), one.deps, { always: false, json: false })).toBe(EXIT.ok);
    expect(one.calls.at(-1)).toMatchObject({ method: "exec.approve", params: { approvalId: ID } });
    expect(await denyApproval(testIo(), one.deps, { json: true })).toBe(EXIT.failed);

    const many = Array.from({ length: 12 }, (_, i) =>
      approval({
        approvalId: `${ID}${String(i).padStart(3, "0")}`,
        details: { path: `file-${i}.txt`, content: "" },
      }),
    );
    const several = await gateway(many);
    const io = testIo();
    expect(await reporting(io, false, () => denyApproval(io, several.deps, { json: false }))).toBe(
      EXIT.usage,
    );
    expect(io.err()).toContain("12 calls wait for you. Nothing was decided; say which by its id:\n");
    expect(io.err()).toContain("  a0001009  Change file-9.txt\n  and 2 more: elwood approvals list\n");
    expect(several.calls.map((c) => c.method)).toEqual(["approvals.list"]);
  });

  test("without an id the only one that waits is shown, also a question", async () => {
    const question = approval({ approvalId: "apr_q", kind: "question", summary: "Which day?" });
    const io = testIo();
    expect(await showApproval(io, (await gateway([question])).deps, { json: false })).toBe(EXIT.ok);
    expect(io.out()).toContain("approvals answer");
    const both = await gateway([question, approval()]);
    expect(await reporting(io, false, () => showApproval(io, both.deps, { json: false }))).toBe(EXIT.usage);
  });

  test("questions are answered", async () => {
    const { deps, calls } = await gateway([approval({ kind: "question", summary: "Which day?" })]);
    await answerQuestion(testIo(), deps, { id: ID, answer: "Tuesday", json: false });
    expect(calls.at(-1)).toEqual({ method: "owner.answer", params: { questionId: ID, answer: "Tuesday" } });
  });
});

describe("grants, stop", () => {
  test("grants are listed in words and revoked by the end of their id", async () => {
    const { deps, calls } = await gateway();
    const io = testIo();
    await listGrants(io, deps, { all: false, json: false });
    expect(io.out()).toContain("until revoked");
    await revokeGrant(io, deps, { id: "0001", json: false });
    expect(calls.at(-1)).toEqual({ method: "grants.revoke", params: { grantId: grant.grantId } });
  });

  test("stop says what it did", async () => {
    const { deps } = await gateway();
    const io = testIo();
    expect(await stopAll(io, deps, { yes: true, json: true })).toBe(EXIT.ok);
    expect(io.out()).toContain('{"runsStopped":2,"grantsRevoked":1}');
  });

  test("a stop that could not end everything says so, and fails", async () => {
    const { client } = await testGateway({
      "gateway.stop_all": () => ({ runsStopped: 1, grantsRevoked: 0, failed: 2 }),
    });
    const io = testIo();
    const deps = { client, clock: { now: () => TEST_NOW }, timeZone: "UTC" };
    expect(await stopAll(io, deps, { yes: true, json: false })).toBe(EXIT.failed);
    expect(io.out()).toContain("Stopped 1 run, revoked 0 grants.");
    expect(io.err()).toContain("2 of them could not be ended");
  });
});
