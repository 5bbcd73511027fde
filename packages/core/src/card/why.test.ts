import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decide, type PolicyFacts } from "../policy/policy.ts";
import { authorise, type Conversation } from "../authority/authority.ts";
import { WORST_LABELS, type ToolContract } from "../tool/tool.ts";
import { cardOf } from "./card.ts";

const CONTRACT: ToolContract = {
  id: "files.file.edit",
  description: "Edits.",
  risk: "write",
  requiresApproval: false,
  idempotent: false,
  canPreview: false,
  canUndo: false,
  canReconcile: false,
  timeoutMs: 1_000,
  input: {},
  output: {},
  labels: { ...WORST_LABELS, egress: "none", critical: ["path"], ids: {}, content: ["text"], time: [] },
};
const LIST = {
  callId: "call_1",
  toolId: "files.file.list",
  target: ".",
  trust: "untrusted" as const,
  sensitive: false,
  value: ["a.txt"],
};
const DIARY = {
  ...LIST,
  toolId: "files.file.read",
  target: "diary.md",
  sensitive: true,
  value: "Nobody knows yet that I will quit my job in spring.",
};

/** Why a call asks, by the policy and the card together. */
function why(contract: ToolContract, input: unknown, spoken: Conversation): { rule: string; why: string } {
  const facts: PolicyFacts = { contract, standing: "granted", facts: [], rules: [], mode: "balanced" };
  const { rule, reason, sources = [] } = decide({ ...facts, authority: authorise(contract, input, spoken) });
  return { rule, why: cardFor(rule, reason, { sources, toolName: contract.id, details: input }).why };
}

function cardFor(
  rule: string,
  reason: string,
  more: { sources?: readonly string[]; toolName?: string; details?: unknown; labels?: object } = {},
) {
  return cardOf({
    approvalId: "apr_1",
    kind: "approval",
    callId: "call_9",
    runId: "run_1",
    sessionKey: "ses_1",
    toolName: "files.file.edit",
    summary: "Edit it.",
    digest: "d",
    risk: "write",
    sources: [],
    decisions: ["once"],
    showable: true,
    expiresAt: 1,
    ...more,
    rule,
    reason,
  });
}

const labelled = (labels: Partial<ToolContract["labels"]>): ToolContract => ({
  ...CONTRACT,
  labels: { ...CONTRACT.labels, ...labels },
});
const typed = ["change b.txt"];

test.each<[string, ToolContract, unknown, Conversation, string]>([
  [
    "authority.value",
    CONTRACT,
    { path: "a.txt" },
    { typed, seen: [LIST] },
    "Asking because you didn't name this file; it came from the list of files in this folder.",
  ],
  [
    "authority.value",
    CONTRACT,
    { path: "c.txt" },
    { typed, seen: [LIST] },
    "Asking because you didn't name this file.",
  ],
  [
    "authority.content",
    CONTRACT,
    { path: "b.txt", text: "see evil.example/x" },
    { typed, seen: [] },
    "Asking because its text contains a link or host that you didn't mention.",
  ],
  [
    "authority.content",
    CONTRACT,
    { path: "b.txt", text: Array.from({ length: 2_000 }, () => "word") },
    { typed, seen: [] },
    "Asking because there is too much text in it to compare with what you said.",
  ],
  [
    "authority.copied",
    CONTRACT,
    { path: "b.txt", text: DIARY.value },
    { typed, seen: [DIARY] },
    "Asking because it copies private text from the file “diary.md”.",
  ],
  [
    "authority.reference",
    labelled({ critical: ["event"], ids: { event: "event" }, content: [] }),
    { event: "13" },
    { typed: ["change it"], seen: [] },
    "Asking because you didn't say which one you mean by “13”.",
  ],
  [
    "authority.no-target",
    labelled({ critical: [], content: ["text"] }),
    { text: "Sister Maren: lives in Graz" },
    { typed: ["remember that my sister Maren moved to Graz"], seen: [] },
    "Asking because Elwood chose these words, not you.",
  ],
  [
    "authority.no-target",
    labelled({ critical: [], content: ["text"] }),
    { key: "martin", text: "- hates olives" },
    { typed: ["remember that Martin sings and Peter hates olives"], seen: [] },
    "Asking because you didn't say this of “martin”.",
  ],
  [
    "authority.no-target",
    labelled({ critical: [], content: [] }),
    {},
    { typed, seen: [] },
    "Asking because you didn't say what this is about.",
  ],
  [
    "authority.unlabelled",
    labelled({ critical: ["*"] }),
    { path: "b.txt" },
    { typed, seen: [] },
    "Asking because Elwood can't tell which parts of this call matter.",
  ],
])("a question by %s says why it is asked", (rule, contract, input, spoken, words) => {
  expect(why(contract, input, spoken)).toEqual({ rule, why: words });
});

test.each<[string, string]>([
  ["rm todo.md", "Asking because this deletes todo.md."],
  ["mv a.txt b.txt", "Asking because this moves a.txt to b.txt."],
  ["npm install left-pad", "Asking because this installs packages."],
  ["mkdir photos", "Asking because this command may change something."],
])("the question about %s says what the command does", (command, words) => {
  const contract = { ...labelled({ critical: ["*"], content: [] }), id: "shell.command.run" };
  const argv = command.split(" ");
  expect(why(contract, { argv }, { typed: [`run ${command}`], seen: [] }).why).toBe(words);
  expect(why(contract, { command }, { typed: [`run ${command}`], seen: [] }).why).toBe(words);
});

test.each<[string, string]>([
  ["rm a.txt && ls", "Chained commands always ask."],
  ["rm *.txt", "Asking because this deletes *.txt."],
  ["ls *.txt", "Commands that need a shell always ask."],
])("a question about the shell's signs in %s calls chained only what is", (command, words) => {
  const reason = "Commands that need a shell always ask; this one has “*”.";
  const more = { toolName: "shell.command.run", details: { command } };
  expect(cardFor("ask.shell-syntax", reason, more).why).toBe(words);
});

test("no rule that asks leaves a card with a sentence that says nothing", () => {
  const rules = askRules();
  expect(rules.length).toBeGreaterThan(20);
  for (const rule of rules) {
    const own = `The reason of ${rule} itself.`;
    const { why } = cardFor(rule, own);
    expect(why, rule).toMatch(/^[A-Z].{15,}\.$/s);
    expect(why, rule).not.toMatch(/^It (changes|destroys) something/);
    expect(why, rule).not.toMatch(/\.{2}|→|[a-z]+\.[a-z]+\.[a-z]+/);
  }
});

test("nothing is said to be destroyed where a copy is kept", () => {
  for (const id of ["files.file.delete", "memory.note.forget", "files.file.move", "mail.message.purge"]) {
    const contract = { ...CONTRACT, id, risk: "destructive" as const };
    const { rule, reason } = decide({
      contract,
      standing: "granted",
      facts: [],
      rules: [],
      mode: "balanced",
    });
    expect(reason).not.toContain("destroys");
    expect(cardFor(rule, reason, { toolName: id }).why).toMatch(/ always asks\.$/);
  }
});

/** Every rule id in the sources by which a call can ask. */
function askRules(): string[] {
  const root = join(import.meta.dirname, "../../../..");
  const folders = ["packages", "integrations", "apps"].map((name) => join(root, name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .filter((path) => !/(^|\/)(node_modules|dist|test|testkit)\//.test(path))
      .map((path) => join(folder, path)),
  );
  const found = files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/"((?:ask|authority)\.[a-z-]+|mode\.strict)"/g)].map(
      ([, rule]) => rule!,
    ),
  );
  // `authority.known` allows. The owner's own rule is put together from its decision.
  return [...new Set([...found, "owner.ask"])].filter((rule) => rule !== "authority.known");
}

test("a tool of somebody else says that its owner has not said what it does, and not that it destroys", () => {
  const { why: words } = cardFor("ask.destructive", "It may destroy.", {
    toolName: "mcp-notes.read_file.call",
    labels: {},
  });
  expect(words).toBe("You haven't said yet what this tool does, so every call asks.");
  // As the policy words it for a tool that changed after it was labelled.
  const changed = decide({
    contract: { ...CONTRACT, risk: "destructive" },
    standing: "changed",
    facts: [],
    rules: [],
    mode: "strict",
  });
  expect(
    cardFor(changed.rule, changed.reason, { toolName: "mcp-notes.read_file.call", labels: {} }).why,
  ).toBe("This tool has changed since you said what it does, so every call asks again.");
});
