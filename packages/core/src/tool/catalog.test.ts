import { expect, test } from "vitest";
import { CATALOG_CALL, meantCall } from "./catalog.ts";

test("a call through the catalog is a call of the tool that it names", () => {
  const call = {
    callId: "c1",
    toolId: CATALOG_CALL,
    input: { tool: "mcp-mail.send.call", input: { to: "a" } },
  };
  expect(meantCall(call)).toEqual({ callId: "c1", toolId: "mcp-mail.send.call", input: { to: "a" } });
  expect(meantCall({ toolId: CATALOG_CALL, input: { tool: "a.b.c" } })).toEqual({
    toolId: "a.b.c",
    input: {},
  });
});

test.each([
  [{ toolId: "files.file.read", input: { tool: "a.b.c" } }],
  [{ toolId: CATALOG_CALL, input: { tool: 5 } }],
  [{ toolId: CATALOG_CALL, input: "a.b.c" }],
  [{ toolId: CATALOG_CALL, input: { tool: CATALOG_CALL, input: { tool: "a.b.c" } } }],
])("%j is what it is", (call) => {
  expect(meantCall<{ toolId: string; input: unknown }>(call)).toBe(call);
});
