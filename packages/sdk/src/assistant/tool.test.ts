import { z } from "zod";
import { expect, expectTypeOf, test } from "vitest";
import { testContext } from "../test-context.ts";
import { defineTool, ToolError } from "../tool.ts";
import { ToolExecutionError } from "./errors.ts";
import { Tool, type ToolConfig } from "./tool.ts";

const base = {
  name: "add",
  description: "Adds.",
  inputSchema: { type: "object" },
  execute: async () => 1,
} as const;

test("arguments are typed by the schema and checked by it, and so is the answer", async () => {
  const add = new Tool({
    name: "add",
    description: "Adds two numbers.",
    inputSchema: z.object({ a: z.number(), b: z.number().default(1) }),
    outputSchema: { type: "number" },
    execute: async (args, conversationId, { signal, idempotencyKey }) => {
      expectTypeOf(args).toEqualTypeOf<{ a: number; b: number }>();
      expect([conversationId, signal.aborted, typeof idempotencyKey]).toEqual(["c1", false, "string"]);
      return args.a === 0 ? "zero" : args.a + args.b;
    },
  });
  expect(await add.execute({ a: 2, b: 3 }, "c1")).toBe(5);
  expect(await add.run({ a: 2 }, "c1")).toBe(3);
  await expect(add.run({ a: "2" }, "c1")).rejects.toMatchObject({
    name: "ToolExecutionError",
    code: "invalid_input",
    message: expect.stringContaining("was not run"),
  });
  await expect(add.run({ a: 1, c: 1 }, "c1")).rejects.toThrow(/c/);
  await expect(add.execute({ a: 0, b: 1 }, "c1")).rejects.toMatchObject({
    code: "invalid_output",
    message: expect.stringContaining("What it did is done"),
  });
});

test("names and schemas that cannot be right are refused when the tool is made", () => {
  const make = (more: Partial<Record<keyof ToolConfig, unknown>>) => () =>
    new Tool({ ...base, ...more } as unknown as ToolConfig);
  expect(make({ name: "send mail" })).toThrow(/not a tool's name/);
  expect(make({ name: "a__b" })).toThrow(/single _/);
  expect(make({ name: "x".repeat(33) })).toThrow(/32 characters/);
  expect(make({ description: " " })).toThrow(/needs a description/);
  expect(make({ inputSchema: "string" })).toThrow(/needs a schema for its input/);
  expect(make({ inputSchema: { type: "string" } })).toThrow(/named arguments/);
  expect(make({ outputSchema: 5 })).toThrow(/needs a schema for its output/);
  expect(make({ execute: undefined })).toThrow(/needs a function/);
  const mute = { "~standard": { version: 1, vendor: "mute", validate: (value: unknown) => ({ value }) } };
  expect(make({ inputSchema: mute })).toThrow(/mute.*cannot say itself as JSON Schema/);
});

test("a Result, result() and thrown errors mean to a Tool what they mean to defineTool", async () => {
  const answering = (answer: () => unknown) =>
    new Tool({ ...base, execute: async () => answer() }).run({}, "c");
  expect(await answering(() => ({ ok: true, value: 7 }))).toBe(7);
  await expect(answering(() => ({ ok: false, error: "closed" }))).rejects.toMatchObject({
    name: "ToolExecutionError",
    code: "failed",
  });
  const hangUp = () => {
    throw new Error("hang up");
  };
  await expect(answering(hangUp)).rejects.not.toBeInstanceOf(ToolExecutionError);
});

test("a tool of defineTool becomes a Tool and back, with what it says of itself", async () => {
  const definition = defineTool({
    id: "shop.order.cancel",
    description: "Cancels an order.",
    risk: "write",
    input: z.object({ order: z.string() }),
    labels: { egress: "none" },
    idempotent: true,
    secrets: ["SHOP_KEY"],
    handler: ({ order }, ctx) => ({ order, key: ctx.secrets["SHOP_KEY"], session: ctx.session }),
    undo: ({ order }) => ({ restored: order }),
    reconcile: () => "happened",
  });
  expect(() => Tool.fromDefinition(definition)).toThrow(/SHOP_KEY/);
  const tool = Tool.fromDefinition(definition, { secrets: { SHOP_KEY: "k" } });
  expect(tool.config).toMatchObject({
    name: "order_cancel",
    risk: "write",
    sends: false,
    idempotent: true,
    canUndo: true,
    canReconcile: true,
  });
  expect(await tool.run({ order: "o1" }, "c1")).toEqual({ order: "o1", key: "k", session: "c1" });
  expect(await tool.undo({ order: "o1" }, {})).toEqual({ restored: "o1" });
  expect(await tool.reconcile({ order: "o1" }, "key")).toBe("happened");

  const back = tool.toDefinition("shop.order.cancel");
  expect(back).toMatchObject({
    id: "shop.order.cancel",
    risk: "write",
    idempotent: true,
    labels: { egress: "none" },
  });
  expect(await back.handler({ order: "o2" }, testContext())).toMatchObject({ order: "o2" });
  const closed = new Tool({
    ...base,
    execute: async () => Promise.reject(new ToolExecutionError("closed", "Closed.")),
  });
  await expect(closed.toDefinition("a.b.c").handler({}, testContext())).rejects.toBeInstanceOf(ToolError);
  await expect(closed.undo({}, {})).rejects.toMatchObject({ code: "no_undo" });
});
