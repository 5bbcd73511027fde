import { isToolId } from "@elwood/core/model/model";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toolIdOf } from "./tool-names.ts";

test("a name that fits stays as it is", () => {
  expect(toolIdOf("github", "create_issue")).toBe("mcp-github.create_issue.call");
  expect(toolIdOf("my_files", "readFile")).toBe("mcp-my_files.readFile.call");
});

test("names that do not fit are written in plain letters, and no two of them are the same", () => {
  const odd = [
    "a/b",
    "a b",
    "a_b_",
    "a__b",
    "données",
    "поиск",
    "search\u200b",
    "_x",
    "9lives",
    "-",
    "",
    "x".repeat(70),
    `${"x".repeat(70)}y`,
  ];
  const ids = odd.map((name) => toolIdOf("demo", name));
  expect(new Set(ids).size).toBe(odd.length);
  expect(ids.every(isToolId)).toBe(true);
  expect(ids[0]).toMatch(/^mcp-demo\.a-b-x[0-9a-f]{8}\.call$/);
});

test("a plain name that looks like a written one is written itself, so that it can stand for no other", () => {
  const written = toolIdOf("demo", "a/b");
  const part = written.split(".")[1]!;
  expect(toolIdOf("demo", part)).not.toBe(written);
});

test("whatever the names are, the id is well formed, never one of Elwood's own, and tells two names apart", () => {
  const name = fc.oneof(
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 90 })
      .map((codes) => String.fromCharCode(...codes)),
    fc.string({ maxLength: 40 }),
    fc.constantFrom("owner", "program", "a/b", "a-b"),
  );
  fc.assert(
    fc.property(name, name, name, (server, tool, other) => {
      const id = toolIdOf(server, tool);
      return isToolId(id) && id.startsWith("mcp-") && (other === tool || toolIdOf(server, other) !== id);
    }),
    { numRuns: 200 },
  );
});
