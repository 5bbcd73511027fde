import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import { defineTool, type ToolDefinition } from "@elwood/sdk/tool";
import { sha256 } from "@elwood/platform/system";
import { buildToolSnapshot } from "./tool-snapshot.ts";

fc.configureGlobal({ seed: 20_261_115 });

const here = { egress: "none", output: "trusted", critical: ["path"], sensitive: false } as const;

const readFile = defineTool({
  id: "files.file.read",
  description: "Reads a file.",
  risk: "read",
  input: z.object({ path: z.string().min(1), lines: z.number().int().max(500).default(100) }),
  output: z.object({ text: z.string() }),
  labels: here,
  handler: async (input) => ({ text: `${input.path} ${input.lines}` }),
});

function only(tool: ToolDefinition): RegisteredTool {
  const { toolSnapshot, problems } = buildToolSnapshot([{ source: "built-in", tools: [tool] }], { sha256 });
  expect(problems).toEqual([]);
  return toolSnapshot.list()[0]!;
}

/** A tool with this input schema and nothing else of note. */
const taking = (input: ToolDefinition["input"]) =>
  defineTool({ id: "a.b.c", risk: "read", input, handler: async () => null });

describe("OA-2: a tool's input", () => {
  const tool = only(readFile);

  test("is answered with its defaults filled in", () => {
    expect(tool.parseInput({ path: "a" })).toEqual({ ok: true, value: { path: "a", lines: 100 } });
  });

  test.each<[unknown, string]>([
    [{ path: 5 }, "path: expected text, got the number 5."],
    [{}, "path: expected text, got nothing. It is required."],
    [{ path: "a", lines: "many" }, 'lines: expected a number, got the text "many".'],
    [{ path: "a", lines: 1.5 }, "lines: expected a whole number, got the number 1.5."],
    [{ path: "" }, 'path: expected text that is not empty, got the text "".'],
    [{ path: "a", lines: 900 }, "lines: expected at most 500, got the number 900."],
    [
      { path: "a", line: 3 },
      'line: there is no such argument; the tool takes path, lines. Did you mean "lines"?',
    ],
    [{ path: "a", __proto__: null, constructor: 1 }, "constructor: there is no such argument"],
    [JSON.parse('{"path": "a", "__proto__": {"lines": 1}}'), "__proto__: there is no such argument"],
    ["a", 'input: expected an object, got the text "a".'],
    [undefined, "input: expected an object, got nothing."],
    [null, "input: expected an object, got null."],
    [["a"], 'input: expected an object, got the list ["a"].'],
    [{ path: "\ud800" }, "lone surrogate"],
  ])("%j is refused with what to mend", (input, words) => {
    const parsed = tool.parseInput(input);
    expect(parsed).toMatchObject({ ok: false });
    if (!parsed.ok) {
      expect(parsed.error).toContain("The input does not fit files.file.read:\n- ");
      expect(parsed.error).toContain(words);
    }
  });

  test("tells a misspelt argument together with the one that is missing, each once", () => {
    expect(tool.parseInput({ file: "a", lines: 1.5 })).toEqual({
      ok: false,
      error: [
        "The input does not fit files.file.read:",
        "- file: there is no such argument; the tool takes path, lines.",
        "- path: expected text, got nothing. It is required.",
        "- lines: expected a whole number, got the number 1.5.",
      ].join("\n"),
    });
  });

  test("tells all mistakes at once, up to a limit", () => {
    const keys = Array.from({ length: 30 }, (_, i) => [`k${i}`, 1]);
    const parsed = tool.parseInput(Object.fromEntries(keys));
    if (!parsed.ok) expect(parsed.error.split("\n")).toHaveLength(12);
    expect(parsed).toMatchObject({ error: expect.stringContaining("and 21 more") as string });
  });

  test("is refused for unknown keys however deep, and not for keys the schema leaves open", () => {
    const nested = only(
      taking(
        z.object({
          items: z.array(z.object({ name: z.string() })),
          headers: z.record(z.string(), z.string()).optional(),
          loose: z.looseObject({ a: z.number() }).optional(),
        }),
      ),
    );
    expect(nested.parseInput({ items: [{ name: "a" }], headers: { x: "y" }, loose: { a: 1, b: 2 } }).ok).toBe(
      true,
    );
    expect(nested.parseInput({ items: [{ name: "a" }, { name: "b", nmae: "c" }] })).toMatchObject({
      error: expect.stringContaining(
        'items[1].nmae: there is no such argument; items[1] takes name. Did you mean "name"?',
      ) as string,
    });
  });

  test("of several shapes is held against the one it is meant for", () => {
    const union = only(
      taking(
        z.discriminatedUnion("kind", [
          z.object({ kind: z.literal("text"), text: z.string() }),
          z.object({ kind: z.literal("link"), url: z.string() }),
        ]),
      ),
    );
    expect(union.parseInput({ kind: "link", url: "u" }).ok).toBe(true);
    expect(union.parseInput({ kind: "link", url: "u", text: "t" })).toMatchObject({
      error: expect.stringContaining("text: there is no such argument; the tool takes kind, url.") as string,
    });
  });

  test("may be described by a plain JSON Schema, with the same closedness", () => {
    const plain = only(
      taking({ type: "object", properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] }),
    );
    expect(plain.parseInput({ n: 2 })).toEqual({ ok: true, value: { n: 2 } });
    expect(plain.parseInput({ n: 0 }).ok).toBe(false);
    expect(plain.parseInput({ n: 2, m: 3 }).ok).toBe(false);
    const open = only(
      taking({ type: "object", properties: { n: { type: "integer" } }, additionalProperties: true }),
    );
    expect(open.parseInput({ n: 2, m: 3 })).toEqual({ ok: true, value: { n: 2, m: 3 } });
  });

  test("may be described by any Standard Schema that can say itself as JSON Schema", () => {
    const jsonSchema = () => ({ type: "object", properties: { n: {} } });
    const own = only(
      taking({
        "~standard": {
          version: 1,
          vendor: "own",
          validate: (value) =>
            (value as { n?: unknown }).n === 1
              ? { value }
              : { issues: [{ message: "must be one.", path: [{ key: "n" }] }] },
          jsonSchema: { input: jsonSchema, output: jsonSchema },
        },
      }),
    );
    expect(own.parseInput({ n: 1 })).toEqual({ ok: true, value: { n: 1 } });
    expect(own.parseInput({ n: 2 })).toMatchObject({
      error: "The input does not fit a.b.c:\n- n: must be one; got the number 2.",
    });
  });

  test("shown to the model says that it is closed", () => {
    const { input } = only(readFile).contract;
    expect(input).toMatchObject({ type: "object", additionalProperties: false, required: ["path"] });
    expect(input).not.toHaveProperty("$schema");
  });

  test("that passes is plain JSON, whatever was sent, and passes again unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (path, lines) => {
        const parsed = tool.parseInput({ path, lines });
        if (!parsed.ok) return;
        canonicalJson(parsed.value);
        expect(tool.parseInput(parsed.value)).toEqual(parsed);
      }),
    );
  });
});

describe("OA-2: a tool's output", () => {
  test("is validated like its input", () => {
    const tool = only(readFile);
    expect(tool.parseOutput({ text: "a" })).toEqual({ ok: true, value: { text: "a" } });
    expect(tool.parseOutput({ text: 1 })).toMatchObject({
      error: "The output does not fit files.file.read:\n- text: expected text, got the number 1.",
    });
  });

  test("without a schema may be any JSON, and nothing is null", () => {
    const tool = only(taking(z.object({})));
    expect(tool.parseOutput(undefined)).toEqual({ ok: true, value: null });
    expect(tool.parseOutput({ a: [1] })).toEqual({ ok: true, value: { a: [1] } });
    expect(tool.parseOutput(new Date(0)).ok).toBe(false);
    expect(tool.parseOutput(Number.NaN).ok).toBe(false);
  });
});
