import type { Approval } from "@elwood/core/policy/approval";
import { sourcesHash } from "@elwood/isolation/tool-host/integration-files";
import type { CallRow, RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { describe, expect, test } from "vitest";
import { isOnlyTyped, modulePlace, writtenInRun } from "./written-tools.ts";

const TOOLS = "/home/owner/workspace/tools";
const CODE = "export default 1;";

/** A run that made these writes, and the tool that was loaded from the given files. */
async function isWritten(
  writes: readonly (Partial<CallRow> & { readonly path?: string; readonly content?: string })[],
  loaded: Readonly<Record<string, string>> = { "convert.ts": CODE },
  approval: Partial<Approval> = {},
): Promise<boolean> {
  const rows = writes.map(({ path = `${TOOLS}/rates/convert.ts`, content = CODE, ...row }) => ({
    toolId: "files.file.write",
    state: "succeeded",
    approvalId: "apr_1",
    executedInput: { path, content },
    ...row,
  }));
  const decided = { status: "approved", decidedBy: { kind: "owner", id: "o", surface: "page" }, ...approval };
  const ledger = {
    callsOfRun: async () => rows as unknown as CallRow[],
    approval: async () => decided as Approval,
  };
  const code = sourcesHash(new Map(Object.entries(loaded)));
  const tool = { contract: { id: "rates.amount.convert", code } } as RegisteredTool;
  return writtenInRun(ledger, TOOLS)("default", "run_1", tool);
}

describe("a tool counts as written for a message", () => {
  test("where all of its code was written there, allowed by the owner", async () => {
    expect(await isWritten([{}])).toBe(true);
    const two = [{ path: `${TOOLS}/rates/lib/a.ts` }, {}];
    expect(await isWritten(two, { "convert.ts": CODE, "lib/a.ts": CODE })).toBe(true);
    expect(await isWritten([{ content: "old" }, {}])).toBe(true);
    expect(await isWritten([{}, { path: `${TOOLS}/rates/convert.test.ts` }])).toBe(true);
  });

  test.each([
    ["nothing was written", [], undefined],
    ["its code is another by now", [{ content: "export default 2;" }], undefined],
    ["a file of it was there before", [{}], { "convert.ts": CODE, "old.ts": CODE }],
    ["another folder was written", [{ path: `${TOOLS}/other/convert.ts` }], undefined],
    ["nobody was asked about the write", [{ approvalId: undefined }], undefined],
    ["the write failed", [{ state: "failed" }], undefined],
    ["a command wrote it", [{ toolId: "shell.command.run" }], undefined],
  ] as const)("and not where %s", async (_why, writes, loaded) => {
    expect(await isWritten(writes as never, loaded)).toBe(false);
  });

  test("and not by a decision that was not the owner's", async () => {
    const policy = { kind: "policy", rule: "x" } as const;
    expect(await isWritten([{}], undefined, { decidedBy: policy })).toBe(false);
    expect(await isWritten([{}], undefined, { status: "denied" })).toBe(false);
  });
});

test.each([
  [{ amount: 250, from: "EUR", to: "usd" }, true],
  [{ amount: 250, from: "EUR", exact: true, list: ["CHF", null] }, true],
  [{ amount: 25 }, false],
  [{ to: "US" }, false],
  [{ to: "GBP" }, false],
  [{ deep: { to: "CHF", note: "my diary" } }, false],
  [{ "what I read in the diary": true }, false],
  [undefined, false],
])("of %j it is known whether the owner typed it: %s", (input, typed) => {
  expect(isOnlyTyped(input, ["What are 250 EUR in USD and CHF?"])).toBe(typed);
});

test("a module is told by its place among the tools", () => {
  expect(modulePlace(TOOLS, `${TOOLS}/rates/lib/a.ts`)).toEqual({ integration: "rates", file: "lib/a.ts" });
  for (const path of [
    `${TOOLS}/a.ts`,
    TOOLS,
    "/etc/passwd",
    `${TOOLS}/../SOUL.md`,
    `${TOOLS}/x/../../a/b.ts`,
  ])
    expect(modulePlace(TOOLS, path)).toBeUndefined();
});
