import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatModelRef,
  fromWireName,
  isToolId,
  parseModelRef,
  TOOL_ID_PATTERN,
  toWireName,
  WIRE_NAME_MAX,
} from "./model.ts";

fc.configureGlobal({ seed: 20_261_115 });

describe("JV-4: parseModelRef", () => {
  test.each([
    ["anthropic/claude-sonnet-5-5", "anthropic", "claude-sonnet-5-5"],
    ["openai/gpt-5.1", "openai", "gpt-5.1"],
    ["openrouter/meta-llama/llama-4:free", "openrouter", "meta-llama/llama-4:free"],
    ["ollama/qwen3:8b", "ollama", "qwen3:8b"],
    ["my_server-2/some/model/path", "my_server-2", "some/model/path"],
    ["  openai/o3  ", "openai", "o3"],
    ["claude-opus-5", "anthropic", "claude-opus-5"],
    ["gpt-5", "openai", "gpt-5"],
    ["o3", "openai", "o3"],
    ["o4-mini", "openai", "o4-mini"],
    ["demo", "demo", "scripted"],
  ])("reads %j", (text, provider, model) => {
    expect(parseModelRef(text)).toEqual({ ok: true, value: { provider, model } });
  });

  test.each([
    ["", "provider/model"],
    ["llama3", "provider/model"],
    ["omni", "provider/model"],
    ["anthropic/", "no model"],
    ["/claude", "not a provider's name"],
    ["Anthropic/claude", "lower-case"],
    ["a b/c", "not a provider's name"],
    ["openai/gpt 5", "space"],
  ])("explains what is wrong with %j", (text, saying) => {
    const parsed = parseModelRef(text);
    expect(parsed.ok).toBe(false);
    if (!parsed.ok) expect(parsed.error).toContain(saying);
  });

  test("does not take an unknown model for a model of some maker in its example", () => {
    const parsed = parseModelRef("llama3");
    if (!parsed.ok) expect(parsed.error).not.toContain("anthropic/llama3");
  });

  test("reads back what formatModelRef writes", () => {
    const provider = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
    const model = fc.stringMatching(/^[!-~]{1,40}$/);
    fc.assert(
      fc.property(provider, model, (provider, model) => {
        expect(parseModelRef(formatModelRef({ provider, model }))).toEqual({
          ok: true,
          value: { provider, model },
        });
      }),
    );
  });
});

describe("the name of a tool on a provider's wire", () => {
  const word = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  const part = fc
    .tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/), fc.array(word, { maxLength: 2 }))
    .map(([first, more]) => [first, ...more].join("_"));
  const toolId = fc.array(part, { minLength: 2, maxLength: 3 }).map((parts) => parts.join("."));

  test("leads back to the tool's id", () => {
    fc.assert(
      fc.property(toolId, (id) => {
        expect(TOOL_ID_PATTERN.test(id)).toBe(true);
        expect(fromWireName(toWireName(id))).toBe(id);
      }),
    );
  });

  test("is never shared by two tools", () => {
    fc.assert(
      fc.property(fc.uniqueArray(toolId, { minLength: 2, maxLength: 50 }), (ids) => {
        expect(new Set(ids.map(toWireName)).size).toBe(ids.length);
      }),
    );
  });

  test("holds only what OpenAI and Anthropic allow, 64 characters at most, for every id that is accepted", () => {
    fc.assert(
      fc.property(toolId, (id) => {
        fc.pre(isToolId(id));
        expect(toWireName(id)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });

  test("may fill the 64 characters, not one more", () => {
    const id = (chars: number) => `a.${"b".repeat(chars - 3)}`;
    expect(toWireName(id(WIRE_NAME_MAX))).toHaveLength(64);
    expect(isToolId(id(WIRE_NAME_MAX))).toBe(true);
    expect(isToolId(id(WIRE_NAME_MAX + 1))).toBe(false);
  });

  test.each([
    "files.file.read",
    "shell.command.run",
    "github.listIssues",
    "my-server.get_thing",
    "a_b.c_d.e_f",
  ])("%s is an id", (id) => {
    expect(isToolId(id)).toBe(true);
  });

  test.each([
    "files",
    "a.b.c.d",
    "a__b.c",
    "_a.b",
    "a_.b",
    "a._b",
    "a.b_",
    "A.b",
    "a..b",
    "a b.c",
    "a.b\n",
    "ä.b",
    "",
  ])("%j is not an id", (id) => {
    expect(isToolId(id)).toBe(false);
  });
});
