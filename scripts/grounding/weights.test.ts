import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allRows, rowsHash } from "./rows.ts";

const WEIGHTS = fileURLToPath(new URL("../../packages/core/src/grounding/", import.meta.url));

test.each(["claim-weights.ts", "decision-weights.ts"])(
  "%s was trained on the rows that are here; node scripts/grounding/main.ts --check says whether it comes out the same",
  (name) => {
    const head = readFileSync(WEIGHTS + name, "utf8").slice(0, 400);
    expect(head).toContain(`from ${allRows().length} labelled replies`);
    expect(head).toContain(`sha256 ${rowsHash()}`);
  },
);
