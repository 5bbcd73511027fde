import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REFERENCE, sdkReference } from "./sdk-reference.ts";

const root = join(import.meta.dirname, "..");

test("the reference of the SDK is what its sources say; write it anew with: node scripts/write-sdk-reference.ts", () => {
  expect(readFileSync(join(root, REFERENCE), "utf8")).toBe(sdkReference(root));
});

test("it has every entry point, signatures without bodies, and nothing private", () => {
  const text = sdkReference(root);
  for (const entry of ["", "/local", "/testing", "/client", "/tool", "/channel"])
    expect(text).toContain(`\n## @elwood/sdk${entry}\n`);
  expect(text).toContain("  startConversation(initialPrompt: string): Conversation;\n");
  expect(text).not.toMatch(/^[ \t]+#|this\.#|oxlint/m);
});
