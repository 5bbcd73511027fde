import type { ToolSpec } from "@elwood/core/model/model";
import { expect, test } from "vitest";
import { dedupeDescriptions } from "./dedupe-descriptions.ts";

const spec = (toolId: string, path: Record<string, unknown>): ToolSpec => ({
  toolId,
  description: toolId,
  inputSchema: { type: "object", properties: { path }, required: ["path"] },
});
const said = (specs: readonly ToolSpec[]) =>
  dedupeDescriptions(specs).map(
    ({ inputSchema }) => (inputSchema["properties"] as Record<string, unknown>)["path"],
  );

test("an input that tools of one integration share is explained by the first of them only", () => {
  const path = { type: "string", description: "From the workspace" };
  const specs = [spec("files.file.list", { ...path, default: "." }), spec("files.file.read", path)];
  expect(said(specs)).toEqual([
    { type: "string", description: "From the workspace", default: "." },
    { type: "string" },
  ]);
  expect(specs[1]).toEqual(spec("files.file.read", path));
});

test("inputs of other names that are explained in the same words share them too", () => {
  const path = { type: "string", description: "From the workspace" };
  const move = {
    ...spec("files.file.move", path),
    inputSchema: { type: "object", properties: { from: path, to: path } },
  };
  const [, moved] = dedupeDescriptions([spec("files.file.list", path), move]);
  expect(moved?.inputSchema["properties"]).toEqual({ from: { type: "string" }, to: { type: "string" } });
});

test("an input that means something else keeps its words, and so does one of another integration", () => {
  const specs = [
    spec("files.file.read", { type: "string", description: "From the workspace" }),
    spec("files.file.move", { type: "string", description: "From the root" }),
    spec("store.file.read", { type: "string", description: "From the workspace" }),
  ];
  expect(dedupeDescriptions(specs)).toEqual(specs);
});

test("a tool without inputs stays as it is", () => {
  const bare: ToolSpec = { toolId: "a.b.c", description: "", inputSchema: { type: "object" } };
  expect(dedupeDescriptions([bare])).toEqual([bare]);
});
