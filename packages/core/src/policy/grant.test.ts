import { describe, expect, test } from "vitest";
import type { Grant } from "./approval.ts";
import {
  boundsOf,
  criticalArguments,
  findGrant,
  grantCovers,
  hostMatchOf,
  isLive,
  type GrantedCall,
} from "./grant.ts";
import { WORST_LABELS } from "../tool/tool.ts";

const labels = { ...WORST_LABELS, critical: ["to", "amount"] };
const call: GrantedCall = {
  contract: { id: "bank.transfer.send", labels },
  contractHash: "h1",
  sessionId: "ses_1",
  input: { to: { name: "Ann", iban: "DE1" }, amount: 5, note: "for lunch" },
};
const grant: Grant = {
  id: "grt_1",
  toolId: "bank.transfer.send",
  scope: "call",
  match: { amount: 5, to: { iban: "DE1", name: "Ann" } },
  contractHash: "h1",
  createdAt: 0,
  createdBy: { kind: "owner", id: "o", surface: "cli" },
  uses: 0,
  words: "5 to Ann",
};
const toolWide: Grant = { ...grant, id: "grt_2", scope: "tool" };

describe("a tool that says what a grant over its calls is bound to", () => {
  const like = { scope: "similar", match: { to: "Ann" }, words: "any amount to Ann" } as const;
  const own: GrantedCall = { ...call, keys: [{ scope: "call", match: { n: 1 }, words: "" }, like] };

  test("is covered by a grant over any one of those, and by nothing else", () => {
    expect(grantCovers({ ...grant, match: like.match }, own, 1)).toBe(true);
    expect(grantCovers({ ...grant, match: { n: 1 } }, own, 1)).toBe(true);
    expect(grantCovers({ ...grant, match: { n: 2 } }, own, 1)).toBe(false);
    expect(grantCovers(grant, own, 1)).toBe(false);
  });

  test("cannot be granted as a whole, nor at all where it names nothing", () => {
    expect(grantCovers(toolWide, own, 1)).toBe(false);
    expect(grantCovers(grant, { ...call, keys: [] }, 1)).toBe(false);
  });
});

describe("a grant covers a call", () => {
  test("with the very same critical arguments, in whatever order, whatever the others are", () => {
    expect(grantCovers(grant, call, 1)).toBe(true);
    expect(grantCovers(grant, { ...call, input: { ...(call.input as object), note: "other" } }, 1)).toBe(
      true,
    );
  });

  test.each<[string, Partial<GrantedCall>]>([
    ["another tool", { contract: { id: "bank.transfer.sends", labels } }],
    ["a changed contract", { contractHash: "h2" }],
    ["another amount", { input: { to: { name: "Ann", iban: "DE1" }, amount: 50 } }],
    ["an amount of another type", { input: { to: { name: "Ann", iban: "DE1" }, amount: "5" } }],
    ["a value deep inside", { input: { to: { name: "Ann", iban: "DE2" }, amount: 5 } }],
    ["something added deep inside", { input: { to: { name: "Ann", iban: "DE1", bic: "X" }, amount: 5 } }],
    ["a list for a value", { input: { to: [{ name: "Ann", iban: "DE1" }], amount: 5 } }],
    ["an argument missing", { input: { to: { name: "Ann", iban: "DE1" } } }],
    ["no object at all", { input: "x" }],
    ["a value that is no JSON", { input: { to: Number.NaN, amount: 5 } }],
  ])("not with %s", (_what, other) => {
    expect(grantCovers(grant, { ...call, ...other }, 1)).toBe(false);
  });

  test("not without a match where it is over a call", () => {
    const { match: _match, ...without } = grant;
    expect(grantCovers(without, call, 1)).toBe(false);
    expect(grantCovers({ ...without, scope: "tool" }, call, 1)).toBe(true);
  });

  test("only in its session, where it names one", () => {
    expect(grantCovers({ ...grant, sessionId: "ses_1" }, call, 1)).toBe(true);
    expect(grantCovers({ ...grant, sessionId: "ses_2" }, call, 1)).toBe(false);
    const { sessionId: _session, ...nowhere } = call;
    expect(grantCovers({ ...grant, sessionId: "ses_1" }, nowhere, 1)).toBe(false);
  });

  test.each<[string, Partial<Grant>, boolean]>([
    ["revoked", { revokedAt: 1 }, false],
    ["at the moment it expires", { expiresAt: 10 }, false],
    ["a moment before", { expiresAt: 11 }, true],
    ["used up", { uses: 2, usesMax: 2 }, false],
    ["not used up", { uses: 1, usesMax: 2 }, true],
  ])("%s: it is live or not", (_what, more, live) => {
    expect(isLive({ ...grant, ...more }, 10)).toBe(live);
    expect(grantCovers({ ...grant, ...more }, call, 10)).toBe(live);
  });
});

test("of two grants the one over the very call is used", () => {
  expect(findGrant([toolWide, grant], call, 1)?.id).toBe("grt_1");
  expect(findGrant([toolWide, { ...grant, revokedAt: 0 }], call, 1)?.id).toBe("grt_2");
  expect(findGrant([], call, 1)).toBeUndefined();
});

test("every argument is critical where a tool names all, or none", () => {
  const input = { a: 1, b: undefined, c: "x" };
  for (const critical of [["*"], []]) {
    expect(criticalArguments({ labels: { ...labels, critical } }, input)).toEqual({ a: 1, c: "x" });
  }
  expect(criticalArguments({ labels: { ...labels, critical: ["a"] } }, input)).toEqual({ a: 1 });
});

describe("a grant for a job", () => {
  const job = { id: "job_1", textHash: "t1", agentId: "assistant" };
  const own: Grant = { ...grant, job, usesPerRun: 2 };
  const inJob: GrantedCall = { ...call, job };

  test("covers runs of that job as it was, and no other run", () => {
    expect(grantCovers(own, inJob, 1)).toBe(true);
    expect(grantCovers(own, call, 1)).toBe(false);
    for (const other of [{ id: "job_2" }, { textHash: "t2" }, { agentId: "other" }])
      expect(grantCovers(own, { ...call, job: { ...job, ...other } }, 1)).toBe(false);
  });

  test("is the only one that counts in its runs: what was allowed to a person does not", () => {
    expect(grantCovers(grant, inJob, 1)).toBe(false);
    expect(grantCovers(toolWide, inJob, 1)).toBe(false);
  });

  test("is used up in a run by its uses in that run", () => {
    expect(grantCovers(own, { ...inJob, usedInRun: new Map([["grt_1", 1]]) }, 1)).toBe(true);
    expect(grantCovers(own, { ...inJob, usedInRun: new Map([["grt_1", 2]]) }, 1)).toBe(false);
    expect(grantCovers(own, { ...inJob, usedInRun: new Map([["grt_2", 9]]) }, 1)).toBe(true);
  });

  test("commits to the job and the count in its receipt", () => {
    expect(boundsOf(own)).toMatchObject({ job, usesPerRun: 2 });
    expect(Object.keys(boundsOf(grant))).not.toContain("job");
  });
});

describe("a grant for a host", () => {
  const job = { id: "job_1", textHash: "t1", agentId: "assistant" };
  const fetching = (url: string, more: object = {}): GrantedCall => ({
    contract: { id: "web.page.fetch", labels: { ...WORST_LABELS, critical: ["url", "method"] } },
    contractHash: "h1",
    input: { url, method: "GET", note: "any", ...more },
    job,
  });
  const match = { hosts: { url: "https://a.example" }, rest: { method: "GET" } };
  const hosted: Grant = { ...grant, toolId: "web.page.fetch", match, job };

  test("is bound to the origins of its addresses, and to every other critical argument", () => {
    expect(hostMatchOf(fetching("https://a.example/x?y=1"))).toEqual(match);
    expect(grantCovers(hosted, fetching("https://a.example/x"), 1)).toBe(true);
    expect(grantCovers(hosted, fetching("https://A.EXAMPLE:443/"), 1)).toBe(true);
    expect(grantCovers(hosted, fetching("https://a.example/x", { method: "POST" }), 1)).toBe(false);
  });

  test.each([
    "https://b.example/x",
    "https://a.example.b.example/",
    "http://a.example/x",
    "https://a.example:8443/",
    "https://a.example@b.example/",
    "https://user:word@a.example/",
    "ftp://a.example/x",
    "a.example/x",
  ])("does not cover %s", (url) => {
    expect(grantCovers(hosted, fetching(url), 1)).toBe(false);
  });

  test("is for jobs alone, and for no tool that says itself what it can be bound to", () => {
    const { job: _job, ...anywhere } = hosted;
    const { job: _run, ...byHand } = fetching("https://a.example/x");
    expect(grantCovers(anywhere, byHand, 1)).toBe(false);
    expect(grantCovers(hosted, { ...fetching("https://a.example/x"), keys: [] }, 1)).toBe(false);
  });
});
