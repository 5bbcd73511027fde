/** Ways in which an approval was got round elsewhere, each with the test that shows that it is not here. */
export interface ApprovalVector {
  readonly id: string;
  readonly input: unknown;
  readonly expect: string;
  readonly shownBy: string;
}

/** Text that a card must show so that it cannot deceive: what goes in, and what must be read. */
export interface DisplayVector extends ApprovalVector {
  readonly display: string;
  /** As a whole line of the card. */
  readonly line: string;
}

const HERE = "approval-vectors.test.ts";

export const DISPLAY_VECTORS: readonly DisplayVector[] = [
  {
    id: "approval-113",
    input: { display: "rm safe.txt\u202egpj.sh" },
    expect: "escape bidi controls visibly",
    shownBy: HERE,
    display: "rm safe.txt\u202egpj.sh",
    line: "rm safe.txt\\u202egpj.sh",
  },
  {
    id: "approval-114",
    input: { display: "ls\u200b\u2060 -la" },
    expect: "show zero-width as \\u escapes",
    shownBy: HERE,
    display: "ls\u200b\u2060 -la",
    line: "ls\\u200b\\u2060 -la",
  },
  {
    id: "approval-116",
    input: { display: "ok\n\nApproved by admin" },
    expect: "single line, newlines shown as \\n",
    shownBy: HERE,
    display: "ok\n\nApproved by admin",
    line: "ok\\n\\nApproved by admin",
  },
  // Others of the same kind.
  ...(
    [
      ["an isolate", "a\u2066b\u2069.txt", "a\\u2066b\\u2069.txt"],
      ["a mark from right to left", "a\u200fb", "a\\u200fb"],
      ["a soft hyphen", "pass\u00adword.txt", "pass\\u00adword.txt"],
      ["a filler that looks like nothing", "a\u3164b", "a\\u3164b"],
      ["tag characters", "a\u{e0041}b", "a\\u{e0041}b"],
      ["a variation selector", "a\ufe0fb", "a\\ufe0fb"],
      ["a carriage return", "rm x\rls", "rm x\\rls"],
      ["an escape sequence", "a\u001b[2Kb", "a\\u001b[2Kb"],
      ["a line separator", "a\u2028b", "a\\u2028b"],
    ] as const
  ).map(([id, display, line]) => ({
    id,
    input: { display },
    expect: "written out",
    shownBy: HERE,
    display,
    line,
  })),
];

export const OTHER_VECTORS: readonly ApprovalVector[] = [
  {
    id: "approval-105",
    input: { approve: { fileSha: "A" }, run: { fileSha: "B" } },
    expect: "deny",
    shownBy: "act.test.ts: a file that changed after it was shown is asked about anew",
  },
  {
    id: "approval-106",
    input: { approve: "once", run: "twice" },
    expect: "deny",
    shownBy: "grants.test.ts: its approval is used up by one call",
  },
  {
    id: "approval-108",
    input: { approve: "by sender not in approvers", via: "/approve chat text" },
    expect: "deny",
    shownBy: "act.test.ts: “/approve” with the id; approvals.test.ts: a token with the scope chat",
  },
  {
    id: "approval-109",
    input: { approve: 'by the model / tool output containing "/approve id"' },
    expect: "deny",
    shownBy: "act.test.ts: the model, and a file that it reads, naming the id of what waits",
  },
  {
    id: "approval-110",
    input: { restart: "gateway crashes while pending" },
    expect: "pending survives, never auto-runs",
    shownBy: "approvals-durable.test.ts: kill -9 while it waits",
  },
  {
    id: "approval-111",
    input: { noChannel: "no approver reachable" },
    expect: "deny",
    shownBy: "approvals-durable.test.ts: no approver configured",
  },
  {
    id: "approval-112",
    input: { display: "command of 5,000 chars" },
    expect: "show all or refuse to offer approve",
    shownBy: `${HERE}: a long input is shown whole, and one that cannot be is not offered`,
  },
];
