import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { METHOD_NAMES } from "@elwood/core/protocol/methods";
import { EXIT } from "./io.ts";
import { protocolSchema } from "./protocol-command.ts";
import { testIo } from "./test-io.ts";

test("protocol schema prints every method as one JSON document", async () => {
  const io = testIo();
  expect(await protocolSchema(io, {})).toBe(EXIT.ok);
  const { methods } = io.json() as { methods: Record<string, unknown> };
  expect(Object.keys(methods)).toEqual(METHOD_NAMES);
});

test("protocol schema --out writes the same document to a file, and again over itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-protocol-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const printed = testIo();
  await protocolSchema(printed, {});
  const io = testIo({ cwd: folder });
  await protocolSchema(io, { out: "schema.json" });
  await protocolSchema(io, { out: "schema.json" });
  expect(readFileSync(join(folder, "schema.json"), "utf8")).toBe(printed.out());
  expect(io.out()).toBe("");
});
