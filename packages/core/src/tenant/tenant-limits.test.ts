import { expect, test } from "vitest";
import { isModelAllowed, nameRefusal, type TenantLimits } from "./tenant-limits.ts";

const SUMMARISE = "trn:elwood:default:action/llm/summarise@v3";

test.each<[string, TenantLimits, readonly string[], boolean]>([
  ["nothing is limited", {}, ["files.file.read"], true],
  ["a tool that is denied", { deny: ["shell.*"] }, ["shell.command.run"], false],
  ["a tool beside the one that is denied", { deny: ["shell.*"] }, ["files.file.read"], true],
  ["every question to a model", { deny: ["llm.*"] }, ["llm.chat", SUMMARISE], false],
  ["one action among questions", { deny: ["*/summarise@*"] }, ["llm.chat", SUMMARISE], false],
  ["only what is allowed", { allow: ["*/summarise@*"] }, ["llm.chat", SUMMARISE], true],
  ["what is not allowed", { allow: ["*/summarise@*"] }, ["llm.chat"], false],
  ["a tool where only questions are allowed", { allow: ["llm.*"] }, ["files.file.read"], false],
  [
    "what is allowed and denied",
    { allow: ["files.*"], deny: ["files.file.delete"] },
    ["files.file.delete"],
    false,
  ],
  ["a pattern that is no regular expression", { deny: ["llm.c.at"] }, ["llm.chat"], true],
])("AC-10: %s", (_what, limits, names, permitted) => {
  expect(nameRefusal("acme", limits, names) === undefined).toBe(permitted);
});

test("AC-10: notes and jobs are the owner's, whatever a tenant is allowed", () => {
  expect(nameRefusal("acme", { allow: ["*"] }, ["memory.note.search"])).toContain("belongs to the owner");
  expect(nameRefusal("acme", undefined, ["schedule.job.create"])).toContain("belongs to the owner");
  expect(nameRefusal("default", undefined, ["memory.note.search"])).toBeUndefined();
});

test("AC-10: models are allowed by patterns, and any where none are named", () => {
  const ref = { provider: "openai", model: "gpt-5.5-mini" };
  expect(isModelAllowed({ modelsAllowed: ["openai/*-mini"] }, ref)).toBe(true);
  expect(isModelAllowed({ modelsAllowed: ["anthropic/*"] }, ref)).toBe(false);
  expect(isModelAllowed({ modelsAllowed: [] }, ref)).toBe(false);
  expect(isModelAllowed({}, ref)).toBe(true);
});
