import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { filesTools } from "@elwood/integration-files";
import { scheduleTools } from "@elwood/integration-schedule";
import { shellTools } from "@elwood/integration-shell";
import { webTools } from "@elwood/integration-web";
import { directDocuments } from "@elwood/sdk/documents/direct-documents";
import { ProcessChecker } from "@elwood/isolation/checker/program-checker";
import { memoryTools } from "@elwood/memory/notes/memory-tools";
import { systemClock } from "@elwood/platform/system";
import type { RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { declarationsFor } from "@elwood/runtime/programs/declarations";
import { verdictText } from "@elwood/runtime/programs/checker-port";
import { afterAll, expect, test } from "vitest";
import { Declarations, offeredTools, SHAPES } from "../../src/tools/offer.ts";
import { programTool } from "../../src/tools/program-tool.ts";
import { registerTool } from "../../src/tools/register-tool.ts";
import { snapshotOf } from "../../src/tools/tool-snapshot.ts";
import { FRESH_PROGRAMS } from "./fresh-programs.ts";

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
const never = async (): Promise<never> => {
  throw new Error("Nothing is called here.");
};

/** The tools that are there without any setting, as far as programs use them. */
const TOOLS: readonly RegisteredTool[] = [
  ...filesTools({
    roots: [{ path: tmpdir(), write: true }],
    denied: [],
    undoDir: `${tmpdir()}/undo`,
    documents: directDocuments(),
  }),
  ...webTools({ judge: never, documents: directDocuments() }),
  ...shellTools({
    root: tmpdir(),
    writable: true,
    denied: [],
    autoRun: true,
    dangerousPatterns: [],
    dangerous: "ask",
    envNames: [],
    environment: {},
    timeoutMs: 1_000,
    requireCage: false,
    holdsAgents: false,
    userHome: tmpdir(),
    isSecret: () => false,
  }),
  // Only their contracts are looked at.
  ...scheduleTools({} as never),
  ...memoryTools(never),
  programTool(),
].map((definition) => {
  const tool = registerTool(definition, "built-in", { sha256 });
  if (!tool.ok) throw new Error(tool.error);
  return tool.value;
});
const callable = TOOLS.filter(({ kind }) => kind !== "program").map(({ contract }) => contract);

const checker = new ProcessChecker({ clock: systemClock, log: { warn() {}, debug() {} } });
afterAll(() => checker.close());

test.each(FRESH_PROGRAMS)(
  "a program written from the tools' text alone is accepted: %s",
  async (_, source) => {
    const verdict = await checker.check({ source, declarations: declarationsFor(callable, sha256) });
    expect(verdict.ok ? "" : verdictText(verdict)).toBe("");
  },
);

test("the model is told in few words what the usual tools give to a program, by the names that they have there", () => {
  const all = snapshotOf(new Map(TOOLS.map((tool) => [tool.contract.id, tool])), TOOLS);
  const program = offeredTools(all, "both", new Declarations(sha256)).find(
    ({ toolId }) => toolId === "program.code.run",
  );
  const told = program?.description.split("\n").find((line) => line.startsWith("Values: ")) ?? "";
  expect(told.split("; ")).toHaveLength(SHAPES.length);
  expect(told).toContain("files.read {text?, nextOffset?}");
  expect(told).toContain("shell.run {exitCode, text}");
  // About 150 tokens with four characters each.
  expect(told.length / 4).toBeLessThan(150);
});

test.each(SHAPES)("what is told of %s is what it gives", (toolId, shape) => {
  const { output } = callable.find(({ id }) => id === toolId)!;
  const [outer = "", inner = ""] = shape.replace(/^\{|\}$/g, "").split(/: \{|\}\[\]/);
  const held = output["properties"] as Record<string, { items?: { properties: object } }>;
  const names = (list: string) => list.split(", ").map((name) => name.replace("?", ""));
  expect(Object.keys(held)).toEqual(expect.arrayContaining(names(outer)));
  if (inner === "") return;
  const items = held[outer]?.items?.properties ?? {};
  expect(Object.keys(items)).toEqual(expect.arrayContaining(names(inner)));
});
