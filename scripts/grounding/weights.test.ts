import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CLAIM_WEIGHTS } from "@elwood/core/grounding/claim-weights";
import { expect, test } from "vitest";
import { partHash } from "./part.ts";
import { allRows, decisionRows, rowsHash } from "./rows.ts";

const WEIGHTS = fileURLToPath(new URL("../../packages/core/src/grounding/", import.meta.url));
const rows = allRows();
const decision = decisionRows();
const FILES = ["claim-weights.ts", "decision-weights.ts"];

test.each(FILES)(
  "%s was trained on the rows that are here; node scripts/grounding/main.ts --check says whether it comes out the same",
  (name) => {
    const head = headOf(name);
    expect(head).toContain(`from ${rows.length + decision.length} labelled replies`);
    expect(head).toContain(`sha256 ${rowsHash()}`);
  },
);

// Where this fails, what reads sentences or what trains has changed: train again, or take the change back.
test("a small part of the training comes out as it did when the weights were made", () => {
  const part = partHash({ rows, decision }, CLAIM_WEIGHTS);
  for (const name of FILES) expect(headOf(name)).toContain(`A part of the training: sha256 ${part}`);
});

function headOf(name: string): string {
  return readFileSync(WEIGHTS + name, "utf8").slice(0, 600);
}
