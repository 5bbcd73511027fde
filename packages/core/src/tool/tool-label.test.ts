import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { WORST_LABELS, type ToolContract } from "./tool.ts";
import { labelHash, labelOf, suggestedLabel, withLabel } from "./tool-label.ts";

const sha256 = (text: string | Uint8Array) => createHash("sha256").update(text).digest("hex");
const contract: ToolContract = {
  id: "mcp-mail.send.call",
  description: "",
  risk: "destructive",
  labels: WORST_LABELS,
  requiresApproval: false,
  idempotent: false,
  canPreview: false,
  canUndo: false,
  canReconcile: false,
  timeoutMs: 1_000,
  input: {},
  output: {},
};

test.each([
  ["reads", {}, "read", "none"],
  ["changes", {}, "write", "none"],
  ["sends", {}, "write", "third_party"],
  // What a server says can only make it stricter.
  ["reads", { reads: true }, "read", "none"],
  ["reads", { reads: false }, "write", "none"],
  ["reads", { reachesOut: true }, "read", "third_party"],
  ["reads", { destroys: true }, "destructive", "none"],
  ["changes", { destroys: true, reachesOut: true }, "destructive", "third_party"],
  ["sends", { reads: true, destroys: false, reachesOut: false }, "write", "third_party"],
] as const)("the label %s on a tool whose server claims %j makes it %s, and sends to %s", (...row) => {
  const [label, claims, risk, egress] = row;
  const labelled = withLabel(contract, label, claims);
  expect(labelled).toMatchObject({ risk, labels: { egress, output: "untrusted", sensitive: true } });
});

test("a server's claims suggest a label, and none where it claims nothing", () => {
  expect(suggestedLabel({})).toBeUndefined();
  expect(suggestedLabel({ reads: true, reachesOut: true })).toBe("reads");
  expect(suggestedLabel({ reachesOut: true })).toBe("sends");
  expect(suggestedLabel({ destroys: true })).toBe("changes");
});

test("a label is known only for the contract that it was given to", () => {
  const known = labelHash("one", "reads", sha256);
  expect(labelOf(known, "one", sha256)).toBe("reads");
  expect(labelOf(known, "two", sha256)).toBeUndefined();
  expect(labelOf("one", "one", sha256)).toBeUndefined();
  expect(labelOf(undefined, "one", sha256)).toBeUndefined();
});
