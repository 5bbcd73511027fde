import { expect, test } from "vitest";
import { failure, FailureError } from "@elwood/core/base/failure";
import type { WireExplanation } from "@elwood/core/protocol/tool-shapes";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { explainPolicy, policyMode, testPolicy } from "./policy-command.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const asks: WireExplanation = {
  toolId: "files.file.write",
  decision: "ask",
  rule: "authority.none",
  layer: 5,
  reason: "It changes something, and nothing that you typed asks for it.",
  target: "notes.md",
};

test("OA-3: explain says the decision, the reason in words, the rule and its layer, and that nothing ran", async () => {
  const { client, calls } = await testGateway({ "policy.explain": () => asks });
  const io = testIo();
  const options = { toolId: "write_file", input: '{"path": "notes.md"}', session: "ses_1", json: false };
  expect(await explainPolicy(io, { client }, options)).toBe(EXIT.ok);
  expect(calls[0]?.params).toEqual({
    toolId: "write_file",
    input: { path: "notes.md" },
    sessionKey: "ses_1",
  });
  expect(io.out()).toBe(
    [
      "ask  files.file.write  notes.md",
      "  It changes something, and nothing that you typed asks for it.",
      "  rule authority.none (layer 5 of 7: the mode). Nothing was run.",
      "",
    ].join("\n"),
  );
});

test("explain lists what stands in a call's way", async () => {
  const found = {
    ...asks,
    decision: "deny",
    rule: "input.invalid",
    layer: 0,
    problems: ["path: \u001b[2J"],
  } as const;
  const { client } = await testGateway({
    "policy.explain": () => ({ ...found, problems: [...found.problems] }),
  });
  const io = testIo();
  await explainPolicy(io, { client }, { toolId: "a.b.c", input: "{}", json: false });
  expect(io.out()).toContain("  - path: [2J\n");
  expect(io.out()).toContain("rule input.invalid (the input itself)");
});

test("explain --json prints the answer as one document", async () => {
  const { client } = await testGateway({ "policy.explain": () => asks });
  const io = testIo();
  await explainPolicy(io, { client }, { toolId: "a.b.c", input: "{}", json: true });
  expect(io.json()).toEqual(asks);
});

test("an input that is not JSON is wrong usage, told with an example, and asks nothing", async () => {
  const { client, calls } = await testGateway({});
  const io = testIo();
  const code = await reporting(io, false, () =>
    explainPolicy(io, { client }, { toolId: "a.b.c", input: "{path: notes.md}", json: false }),
  );
  expect(code).toBe(EXIT.usage);
  expect(io.err()).toContain("The input is not JSON");
  expect(io.err()).toContain(`'{"path": "notes.md"}'`);
  expect(calls).toEqual([]);
});

test("a tool that is not there fails with the gateway's words", async () => {
  const { client } = await testGateway({
    "policy.explain": () => {
      throw new FailureError(failure("NOT_FOUND", "There is no tool."));
    },
  });
  const io = testIo();
  const code = await reporting(io, false, () =>
    explainPolicy(io, { client }, { toolId: "a.b.c", input: "{}", json: false }),
  );
  expect(code).toBe(EXIT.failed);
  expect(io.err()).toBe("There is no tool.\n");
});

test("a file of cases is tried against the policy, and what differs is told with its line and the failing condition", async () => {
  const { client, calls } = await testGateway({
    "policy.explain": (params: unknown) =>
      (params as { typed: string }).typed.startsWith("Add")
        ? { ...asks, decision: "allow" as const, rule: "authority" }
        : { ...asks, clause: "What is in todo.md?", values: ["path: todo.md"] },
  });
  const io = testIo();
  const line = (typed: string) =>
    JSON.stringify({ typed, tool: "files.file.write", input: { path: "todo.md" }, expect: "allow" });
  const text = `${line("Add milk to todo.md")}\n\n${line("What is in todo.md?")}\n`;
  expect(await testPolicy(io, { client }, { text, json: false })).toBe(EXIT.failed);
  expect(calls).toHaveLength(2);
  expect(io.out()).toContain("line 3: expected allow");
  expect(io.out()).toContain("clause: “What is in todo.md?”");
  expect(io.out()).toContain("1 of 2 cases as expected. Nothing was run.");
  expect(await testPolicy(io, { client }, { text: line("Add milk to todo.md"), json: false })).toBe(EXIT.ok);
});

test.each([
  ["no JSON", "{typed: x}"],
  ["no object", "null"],
  ["no message", '{"tool": "files.file.write", "expect": "ask"}'],
  ["another word", '{"typed": "a", "tool": "files.file.write", "expect": "maybe"}'],
])("a line that is no case is told by its number, and nothing is tried: %s", async (_what, line) => {
  const { client, calls } = await testGateway({ "policy.explain": () => asks });
  const text = `\n${line}\n`;
  await expect(testPolicy(testIo(), { client }, { text, json: false })).rejects.toThrow("Line 2 is no case");
  const many = '{"typed": "a", "tool": "files.file.write", "expect": "ask"}\n'.repeat(5_001);
  await expect(testPolicy(testIo(), { client }, { text: many, json: false })).rejects.toThrow("at most 5000");
  expect(calls).toEqual([]);
});

test("a mode that asks less is switched to only where it is meant", async () => {
  const { client, calls } = await testGateway({
    "policy.mode": (params: unknown) => {
      const { mode = "balanced" } = params as { mode?: "strict" | "balanced" | "trusting" };
      return { mode, previous: "balanced" as const, kept: true };
    },
  });
  const io = testIo();
  await policyMode(io, { client }, { yes: false, json: false });
  expect(io.out()).toBe("balanced\n");
  await policyMode(io, { client }, { mode: "strict", yes: false, json: false });
  expect(calls.at(-1)?.params).toEqual({ mode: "strict" });
  await expect(policyMode(io, { client }, { mode: "trusting", yes: false, json: false })).rejects.toThrow(
    "--yes",
  );
  await policyMode(io, { client }, { mode: "trusting", yes: true, json: false });
  expect(calls.at(-1)?.params).toEqual({ mode: "trusting", confirm: true });
});
