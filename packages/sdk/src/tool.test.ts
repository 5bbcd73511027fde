import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import {
  defineTool,
  err,
  ok,
  result,
  testContext,
  ToolError,
  type ToolContext,
  type ToolDefinition,
} from "./tool.ts";
import { readAnswer } from "./tool-answer.ts";

test("testContext refuses the web unless a test answers for it", async () => {
  await expect(testContext().fetch("https://a.example/")).rejects.toMatchObject({ code: "no_web" });
  const ctx = testContext({ fetch: async () => new Response("x"), secrets: { KEY: "k" } });
  expect(await (await ctx.fetch("https://a.example/")).text()).toBe("x");
  expect(ctx.secrets["KEY"]).toBe("k");
});

test.each([
  ["api.example.com", true],
  ["192.168.1.20", true],
  ["http://192.168.1.20:8123", true],
  ["https://api.example.com", true],
  ["*.example.com", false],
  ["api.example.com:8080", false],
  ["api.example.com/v1", false],
  ["https://api.example.com/", false],
  ["API.example.com", false],
  ["ftp://example.com", false],
  ["", false],
])("a tool may declare the host %s: %s", (host, may) => {
  const define = () => defineTool({ id: "a.b.c", risk: "read", input: {}, hosts: [host], handler: () => 1 });
  if (may) expect(define().hosts).toEqual([host]);
  else expect(define).toThrow(/the hosts of a\.b\.c cannot hold/);
});

describe("OA-2: defineTool", () => {
  test("takes a tool of id, risk, input, policy and handler, and nothing more", () => {
    const service = async (text: string, ctx: ToolContext) => `${text} ${ctx.callId}`;
    const checkVisitors = defineTool({
      id: "posthog.analytics.getVisitors",
      risk: "read",
      input: z.object({ projectId: z.string(), website: z.string() }),
      policy: { default: "allow" },
      handler: async (input, ctx) => service(input.projectId, ctx),
    });

    const createThresholdMonitor = defineTool({
      id: "posthog.monitor.createThresholdJob",
      risk: "write",
      input: z.object({
        website: z.string(),
        threshold: z.number(),
        cron: z.string(), // e.g. daily 9am
      }),
      policy: { default: "ask" },
      handler: async (input, ctx) => service(input.cron, ctx),
    });
    expect(checkVisitors).toMatchObject({
      id: "posthog.analytics.getVisitors",
      description: "posthog analytics: get visitors",
      policy: { default: "allow" },
      labels: WORST_LABELS,
    });
    expect(createThresholdMonitor.risk).toBe("write");
  });

  test("hands the handler the types of its schema, defaults filled in, and of the secrets it declared", () => {
    const tool = defineTool({
      id: "a.b.c",
      risk: "read",
      input: z.object({ name: z.string(), times: z.number().default(1) }),
      output: z.object({ greeting: z.string() }),
      secrets: ["GREETING_KEY"],
      handler: async (input, ctx) => {
        expectTypeOf(input).toEqualTypeOf<{ name: string; times: number }>();
        expectTypeOf(ctx.secrets).toEqualTypeOf<Readonly<Record<"GREETING_KEY", string>>>();
        expectTypeOf(ctx.fetch).toEqualTypeOf<typeof fetch>();
        return { greeting: `Hello ${input.name}` };
      },
      undo: async (_input, output) => {
        expectTypeOf(output).toEqualTypeOf<{ greeting: string }>();
      },
    });
    expectTypeOf(tool).toEqualTypeOf<ToolDefinition>();
  });

  test("takes a plain JSON Schema, whose arguments the handler checks for itself", () => {
    defineTool({
      id: "a.b.c",
      risk: "read",
      input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      handler: async (input) => {
        expectTypeOf(input.name).toEqualTypeOf<unknown>();
      },
    });
  });

  test("takes every label that is left out for the worst", () => {
    const tool = defineTool({
      id: "a.b.c",
      risk: "read",
      input: z.object({ path: z.string() }),
      labels: { egress: "none", critical: ["path"] },
      handler: async () => 1,
    });
    expect(tool.labels).toEqual({ ...WORST_LABELS, egress: "none", critical: ["path"] });
  });

  const right = { id: "a.b.c", risk: "read", input: z.object({}), handler: async () => 1 } as const;
  test.each([
    [{ id: "files" }, "is not a tool's id"],
    [{ id: `a.${"b".repeat(70)}` }, "is not a tool's id"],
    [{ risk: "harmless" }, "needs a risk: read, write, destructive"],
    [{ input: undefined }, "needs a schema"],
    [{ handler: undefined }, "needs a handler"],
    [{ policy: { default: "maybe" } }, "policy of a.b.c must be"],
    [{ timeoutMs: 0 }, "timeoutMs"],
    [{ timeoutMs: Number.NaN }, "timeoutMs"],
    [{ timeoutMs: 1e9 }, "timeoutMs"],
    [{ labels: { egress: "nowhere" } }, 'cannot be "nowhere". It is none, owner or third_party.'],
    [{ labels: { output: "fine" } }, 'cannot be "fine". It is trusted, third_party or untrusted.'],
    [{ labels: { critical: "path" } }, "It is a list of names of inputs."],
    [{ labels: { crtical: ["path"] } }, "Labels are egress, output, sensitive"],
  ])("refuses %j, as plain JavaScript might write it, in words", (wrong, words) => {
    expect(() => defineTool({ ...right, ...wrong } as typeof right)).toThrow(words);
  });

  test("names every mistake at once", () => {
    const wrong = { ...right, risk: "none", handler: 1, timeoutMs: -1, labels: { egress: 1, output: 2 } };
    expect(() => defineTool(wrong as unknown as typeof right)).toThrow(
      /^defineTool: .*needs a risk.*\n.*needs a handler.*\n.*timeoutMs.*\n.*label egress.*\n.*label output.*$/,
    );
  });
});

describe("JV-5: what a handler answers", () => {
  test("a plain value is the output", () => {
    expect(readAnswer({ visitors: 3 })).toEqual({ ok: true, value: { value: { visitors: 3 } } });
    expect(readAnswer(undefined)).toEqual({ ok: true, value: { value: undefined } });
  });

  test("result() carries text, attachments, exit code and truncation", () => {
    const attachments = [{ type: "image", mimeType: "image/png", data: "AA==" }] as const;
    const answer = result({ n: 1 }, { text: "one", attachments, exitCode: 2, truncated: true });
    const plain = { value: { n: 1 }, text: "one", attachments, exitCode: 2, truncated: true };
    expect(readAnswer(answer)).toEqual({ ok: true, value: plain });
    expect(readAnswer(ok(answer))).toEqual({ ok: true, value: plain });
  });

  test("a value that only looks like a result() is a plain value", () => {
    const look = { value: 1, text: "x", exitCode: 0 };
    expect(readAnswer(look)).toEqual({ ok: true, value: { value: look } });
  });

  test("ok and err are taken as the answer they are", () => {
    expect(readAnswer(ok(5))).toEqual({ ok: true, value: { value: 5 } });
    expect(readAnswer(err({ code: "gone", message: "It is gone.", retryable: true }))).toEqual({
      ok: false,
      error: { code: "gone", message: "It is gone.", retryable: true },
    });
    expect(readAnswer(err("It is gone."))).toEqual({
      ok: false,
      error: { code: "failed", message: "It is gone.", retryable: false },
    });
    expect(readAnswer(err(new ToolError("gone", "It is gone.")))).toMatchObject({ error: { code: "gone" } });
  });

  test.each([
    [{ ok: true, ts: "1", channel: "c" }],
    [{ ok: true, message: "sent" }],
    [{ ok: false, error: "no", needed: "chat:write" }],
    [{ ok: false, error: 404 }],
    [{ ok: true }],
  ])("%j, as a service answers, is a plain value", (answer) => {
    expect(readAnswer(answer)).toEqual({ ok: true, value: { value: answer } });
  });
});
