import type { WireGrant } from "@elwood/core/protocol/approval-shapes";
import { toWirePlanned, type WirePlannedCall, type WireRehearsal } from "@elwood/core/protocol/job-shapes";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { grantCalls, listJobGrants, rehearseJob, revokeJobGrants } from "./job-grants-command.ts";
import { EXIT } from "./io.ts";
import { testGateway, type Answers } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const NOW = Date.parse("2026-11-16T08:00:00Z");

const planned = (plannedId: string, path: string, more: Partial<WirePlannedCall> = {}): WirePlannedCall => ({
  ...toWirePlanned(
    {
      plannedId,
      callId: plannedId,
      toolId: "files.file.write",
      input: { path, content: "x" },
      risk: "write",
      digest: "d",
      summary: `Create ${path}`,
      preview: { sentence: `Create ${path}`, after: "x", subject: path, creates: true },
      rule: "authority.none",
      reason: "Nothing that you typed asks for it.",
      contractHash: "h",
    },
    { runId: "run_1", sessionId: "ses_1", at: NOW },
    { constraints: [] },
  ),
  ...more,
});

const rehearsal = (more: Partial<WireRehearsal> = {}): WireRehearsal => ({
  runId: "run_1",
  sessionKey: "ses_1",
  status: "done",
  startedAt: NOW,
  text: "All is written.",
  calls: [
    planned("call_1", "a.txt", {
      constraints: [
        { constraint: "exact", words: "write a.txt" },
        { constraint: "folder", words: "write anything in files/" },
      ],
    }),
    planned("call_2", "b.txt", { never: "It cannot be allowed ahead. Destructive calls always ask." }),
    planned("call_3", "c.txt", { unasked: true }),
  ],
  gaps: [],
  reads: 1,
  ...more,
});

const grant = (more: Partial<WireGrant> = {}): WireGrant => ({
  grantId: "grt_1",
  toolId: "files.file.write",
  scope: "call",
  words: "write a.txt, in the job “news” as it is now, once a run, for 30 days",
  createdAt: NOW,
  expiresAt: NOW + 86_400_000,
  uses: 2,
  usesPerRun: 1,
  jobId: "job_1",
  createdBy: { kind: "owner", id: "owner", surface: "cli" },
  ...more,
});

async function scene(answers: Answers) {
  const { client, calls } = await testGateway(answers);
  const clock = new ManualClock({ start: NOW, autoAdvance: true });
  return { io: testIo(), deps: { client, clock, timeZone: "UTC" }, calls };
}

const GRANT = {
  name: "news",
  json: false,
  numbers: [1],
  constraint: "folder",
  perRun: 3,
  days: 90,
  yes: true,
} as const;

test("jobs rehearse waits for the end and lists the cards, with what each can be bound to", async () => {
  let looks = 0;
  const { io, deps } = await scene({
    "jobs.rehearse": () => ({ rehearsal: rehearsal({ status: "running", calls: [], text: "" }) }),
    "jobs.rehearsal": () =>
      ++looks < 3
        ? { rehearsal: rehearsal({ status: "running", calls: [], text: "" }) }
        : { rehearsal: rehearsal() },
  });
  expect(await rehearseJob(io, deps, { name: "news", json: false })).toBe(EXIT.ok);
  const text = io.out();
  expect(text).toContain("Rehearsal of “news”: 1 read made, nothing changed.\n");
  expect(text).toMatch(/^ 1\. .*a\.txt/m);
  expect(text).toContain("    --exact: write a.txt\n    --folder: write anything in files/\n");
  expect(text).toMatch(/^ 2\. .*b\.txt/m);
  expect(text).toContain("    It cannot be allowed ahead. Destructive calls always ask.\n");
  expect(text).toContain("    would run without asking\n");
  expect(text).toContain("It would say:\n\nAll is written.\n");
  expect(text).toContain('elwood jobs grant "news" --call 1 --per-run 1 --days 30\n');
});

test("jobs rehearse says what went wrong, and ends with code 1", async () => {
  const failed = rehearsal({ status: "failed", problem: "The provider is away.", calls: [], text: "" });
  const { io, deps } = await scene({ "jobs.rehearse": () => ({ rehearsal: failed }) });
  expect(await rehearseJob(io, deps, { name: "news", json: false })).toBe(EXIT.failed);
  expect(io.out()).toContain("It did not come to its end: The provider is away.\n");
});

test("jobs grant allows calls of the last rehearsal by their numbers, and says in whole words what", async () => {
  const { io, deps, calls } = await scene({
    "jobs.rehearsal": () => ({ rehearsal: rehearsal() }),
    "jobs.grant": () => ({ grants: [grant()] }),
  });
  expect(await grantCalls(io, deps, GRANT)).toBe(EXIT.ok);
  expect(calls.at(-1)).toEqual({
    method: "jobs.grant",
    params: {
      name: "news",
      runId: "run_1",
      calls: [{ plannedId: "call_1", constraint: "folder", perRun: 3, days: 90 }],
    },
  });
  expect(io.out()).toBe("Allowed: write a.txt, in the job “news” as it is now, once a run, for 30 days.\n");
});

test("jobs grant allows nothing where nobody can be asked, unless --yes says so", async () => {
  const { io, deps, calls } = await scene({ "jobs.rehearsal": () => ({ rehearsal: rehearsal() }) });
  expect(await grantCalls(io, deps, { ...GRANT, yes: false })).toBe(EXIT.denied);
  expect(io.err()).toContain("Nothing was allowed. To answer yes: add --yes.\n");
  expect(calls.map(({ method }) => method)).toEqual(["jobs.rehearsal"]);
});

test("jobs grant without a rehearsal, or with a number that is not in it, allows nothing and says what to do", async () => {
  const none = await scene({ "jobs.rehearsal": () => ({}) });
  expect(await grantCalls(none.io, none.deps, GRANT)).toBe(EXIT.failed);
  expect(none.io.err()).toContain('Rehearse it with: elwood jobs rehearse "news"');
  const other = await scene({ "jobs.rehearsal": () => ({ rehearsal: rehearsal() }) });
  expect(await grantCalls(other.io, other.deps, { ...GRANT, numbers: [1, 9] })).toBe(EXIT.usage);
  expect(other.io.err()).toBe("There is no call 9: the rehearsal listed 3 calls. Nothing was allowed.\n");
});

test("jobs grants lists what a job may do, and which of it is no longer used", async () => {
  const problem = "The text of the job has changed since you gave this permission.";
  const { io, deps } = await scene({
    "jobs.grants": () => ({ grants: [grant(), grant({ grantId: "grt_2", uses: 1, problem })] }),
  });
  expect(await listJobGrants(io, deps, { name: "news", json: false })).toBe(EXIT.ok);
  expect(io.out()).toBe(
    [
      " 1. write a.txt, in the job “news” as it is now, once a run, for 30 days",
      "    used 2 times, until Tue 2026-11-17 08:00",
      " 2. write a.txt, in the job “news” as it is now, once a run, for 30 days",
      "    used 1 time, until Tue 2026-11-17 08:00",
      `    ! ${problem}\n`,
    ].join("\n"),
  );
  const bare = await scene({ "jobs.grants": () => ({ grants: [] }) });
  await listJobGrants(bare.io, bare.deps, { name: "news", json: false });
  expect(bare.io.out()).toBe("“news” may do nothing without asking but read.\n");
});

test("jobs revoke takes a permission back by its number, or all of them", async () => {
  const answers: Answers = {
    "jobs.grants": () => ({ grants: [grant(), grant({ grantId: "grt_2" })] }),
    "grants.revoke": () => ({ ok: true }),
  };
  const revoked = async (which: string) => {
    const { io, deps, calls } = await scene(answers);
    const code = await revokeJobGrants(io, deps, { name: "news", which, json: false });
    const ids = calls.flatMap(({ method, params }) => (method === "grants.revoke" ? [params] : []));
    return [code, ids];
  };
  expect(await revoked("2")).toEqual([EXIT.ok, [{ grantId: "grt_2" }]]);
  expect(await revoked("all")).toEqual([EXIT.ok, [{ grantId: "grt_1" }, { grantId: "grt_2" }]]);
  expect(await revoked("3")).toEqual([EXIT.failed, []]);
});
