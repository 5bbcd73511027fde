import { join } from "node:path";
import { METHOD_NAMES } from "@elwood/core/protocol/methods";
import { describe, expect, test } from "vitest";
import { projectFiles } from "./project-files.ts";
import { FOLDER_EDGES } from "./folder-edges.ts";
import {
  ambientProblems,
  diallingProblems,
  edgeProblems,
  exportProblems,
  importProblems,
  mutualPairs,
  wordProblems,
} from "./tidy.ts";

/** Verifies a bundle of receipts on any machine, so it imports nothing. */
const ALONE = "packages/store-sqlite/src/receipts/verify-bundle.mjs";

const files = projectFiles(join(import.meta.dirname, ".."));
const sources = files.filter(({ path }) => /^[^.].*\.(ts|mjs)$/.test(path));

describe("in this project", () => {
  test("imports point one way", () => {
    expect(sources.flatMap(importProblems)).toEqual([]);
  });

  test("packages list what others import, and nothing more", () => {
    expect(exportProblems(files)).toEqual([]);
  });

  test("folders import the folders that the table allows, and no two import each other", () => {
    expect(edgeProblems(sources, FOLDER_EDGES)).toEqual([]);
    expect(mutualPairs(FOLDER_EDGES)).toEqual([]);
  });

  test("core and runtime take time, chance, the network and the process from ports", () => {
    expect(sources.flatMap(ambientProblems)).toEqual([]);
  });

  test("ssrf-183: nothing reaches the network but by the guarded client, or is named as doing so", () => {
    expect(sources.flatMap(diallingProblems)).toEqual([]);
  });

  test("no file holds what belongs to a builder's machine", () => {
    expect(files.flatMap(wordProblems)).toEqual([]);
  });

  test("nobody ignores what the ledger answers to a write", () => {
    const ignored = /^\s*(?:await |void )?[\w.#]*ledger\s*\.write\(/gm;
    const ours = sources.filter(({ path }) => /^(apps|packages)\/(?!.*\.test\.)/.test(path));
    const found = ours.flatMap(({ path, text }) => (text.match(ignored) ?? []).map(() => path));
    expect(found).toEqual([]);
  });

  test("the name of the default tenant stands in one place", () => {
    const named = /^(?!.*titled).*(?:tenant.*"default"|"default".*tenant).*$/gim;
    const ours = sources.filter(
      ({ path }) =>
        /^(apps|packages)\/[^/]+\/src\//.test(path) && !/\.test\.|\/test-|crash-|testkit/.test(path),
    );
    const found = ours.flatMap(({ path, text }) => (text.match(named) ?? []).map(() => path));
    expect(found).toEqual(["packages/core/src/base/tenant.ts", ALONE]);
  });

  test("what people are told to do next is no method of the protocol", () => {
    const told = new RegExp(` with (${METHOD_NAMES.join("|").replaceAll(".", "\\.")})\\b`, "g");
    const ours = sources.filter(({ path }) => /^(apps|packages)\/(?!.*\.test\.)/.test(path));
    const found = ours.flatMap(({ path, text }) =>
      (text.match(told) ?? []).map((words) => `${path}:${words}`),
    );
    expect(found).toEqual([]);
  });

  test("the rules see the files", () => {
    expect(sources.map(({ path }) => path)).toContain("packages/core/src/base/failure.ts");
    expect(files.map(({ path }) => path)).toContain(".ci/run");
  });
});

describe("edges between folders", () => {
  const from = (path: string, target: string) => ({ path, text: `import { x } from "${target}";` });
  const sources = [
    from("apps/gateway/src/a/one.ts", "../b/two.ts"),
    from("apps/gateway/src/b/deep/two.ts", "../../a/one.ts"),
    from("apps/gateway/src/b/two.test.ts", "../c/three.ts"),
    from("apps/gateway/src/gateway.ts", "./a/one.ts"),
  ];
  const both = { "apps/gateway/src/a": ["b"], "apps/gateway/src/b": ["a"] };

  test("one that the table lacks is told, and one that it has in vain", () => {
    expect(edgeProblems(sources, both)).toEqual([]);
    expect(edgeProblems(sources, { "apps/gateway/src/a": ["b", "c"] })).toEqual([
      "apps/gateway/src/b imports a: not in scripts/folder-edges.ts",
      "apps/gateway/src/a no longer imports c: take it out of scripts/folder-edges.ts",
    ]);
  });

  test("two folders that import each other are a pair", () => {
    expect(mutualPairs(both)).toEqual(["apps/gateway/src: a ↔ b"]);
    expect(mutualPairs({ "apps/gateway/src/a": ["b"] })).toEqual([]);
  });
});

test("an export that is a pattern, or that nobody imports, is told", () => {
  const manifest = { name: "@elwood/core", exports: { "./*": "./src/*.ts", "./a": "", "./b": "" } };
  const problems = exportProblems([
    { path: "packages/core/package.json", text: JSON.stringify(manifest) },
    { path: "packages/core/src/b.ts", text: 'import "@elwood/core/b";' },
    { path: "apps/gateway/src/x.ts", text: 'import "@elwood/core/a";' },
  ]);
  expect(problems).toEqual([
    "packages/core/package.json exports ./*: name what others may import",
    "packages/core/package.json exports ./b, which nobody else imports",
  ]);
});

describe("an import is refused", () => {
  test.each([
    ["packages/core/src/a.ts", 'import fs from "node:fs";'],
    ["packages/core/src/a.ts", 'import type { Clock } from "@elwood/runtime/ports/ports";'],
    ["packages/core/src/a.ts", 'import { parse } from "yaml";'],
    ["packages/core/src/a.ts", 'export { parse } from "yaml";'],
    ["packages/core/src/a.ts", 'export * from "yaml";'],
    ["packages/core/src/a.ts", 'const load = () => import("yaml");'],
    ["packages/runtime/src/a.ts", 'import "@elwood/sdk/tool";'],
    ["packages/runtime/src/a.ts", 'import { WebSocket } from "ws";'],
    ["packages/runtime/src/a.ts", 'import { x } from "../../core/src/ids.ts";'],
    ["packages/sdk/src/a.ts", 'import "@elwood/runtime/ports/ports";'],
    ["packages/testkit/src/a.ts", 'import "@elwood/gateway/src/main";'],
    ["packages/testkit/src/a.ts", 'import "../../../apps/cli/src/main.ts";'],
    ["packages/testkit/src/a.test.ts", 'import "../../../apps/cli/src/main.ts";'],
    ["apps/gateway/src/a.ts", 'import "@elwood/testkit/clock";'],
    ["apps/web/src/a.ts", 'import "@elwood/sdk/tool";'],
    ["apps/web/src/a.ts", 'import { join } from "node:path";'],
    ["apps/web/src/a.ts", 'import { parse } from "yaml";'],
    ["apps/web/src/a.ts", 'import "@elwood/runtime/ports/ports";'],
    ["integrations/github/tools.ts", 'import "@elwood/sdk/testing";'],
    ["e2e/a.test.ts", 'import { start } from "../apps/gateway/src/gateway.ts";'],
    ["bench/a.ts", 'import "@elwood/gateway/src/gateway";'],
    ["apps/gateway/src/server/a.ts", 'import { open } from "@elwood/store-sqlite/database";'],
    ["apps/gateway/src/methods/a.ts", 'const p = await import("@elwood/providers/anthropic");'],
  ])("%s: %s", (path, text) => {
    expect(importProblems({ path, text })).toHaveLength(1);
  });
});

describe("a way to the network is refused", () => {
  test.each([
    ["apps/gateway/src/tools/a.ts", 'await fetch("https://example.com");'],
    ["integrations/mail/a.ts", "const get = globalThis.fetch;"],
    ["integrations/mail/a.ts", "send({ fetch });"],
    ["integrations/mail/a.ts", 'new WebSocket("wss://example.com");'],
    ["integrations/mail/a.ts", 'import { request } from "node:https";'],
    ["integrations/mail/a.ts", 'import * as http from "node:http";'],
    ["integrations/mail/a.ts", 'import net from "node:net";'],
    ["apps/gateway/src/tools/a.ts", 'import { connect as open } from "node:tls";'],
    ["apps/gateway/src/tools/a.ts", 'import { Agent } from "undici";'],
    ["apps/gateway/src/tools/a.ts", 'const { get } = await import("node:http");'],
    ["packages/runtime/src/a.ts", 'import axios from "axios";'],
    ["apps/gateway/src/cron/webhook.ts", "export const post = () => fetch(url);"],
  ])("%s: %s", (path, text) => {
    expect(diallingProblems({ path, text })).toHaveLength(1);
  });

  test.each([
    ["apps/gateway/src/server/a.ts", 'import { createServer, type IncomingMessage } from "node:http";'],
    ["apps/gateway/src/server/a.ts", 'import type { Socket } from "node:net";'],
    ["integrations/mail/a.ts", "export const send = (ctx) => ctx.fetch(url);"],
    ["integrations/mail/a.ts", "export const send = (fetch) => fetch(url);"],
    ["apps/gateway/src/web/system-dialer.ts", 'const { connect } = await import("node:net");'],
    ["apps/gateway/src/tools/a.test.ts", "await fetch(site);"],
  ])("and this is none: %s: %s", (path, text) => {
    expect(diallingProblems({ path, text })).toEqual([]);
  });
});

describe("an import is welcome", () => {
  test.each([
    ["packages/core/src/a.ts", 'import { z } from "zod"; import { ok } from "./result.ts";'],
    ["packages/core/src/a.ts", '// import "yaml"\nconst text = "import \\"yaml\\"";'],
    ["packages/core/src/a.test.ts", 'import { test } from "vitest"; import fs from "node:fs";'],
    ["packages/runtime/src/a.ts", 'import { ok } from "@elwood/core/base/result"; import "node:crypto";'],
    ["packages/testkit/src/a.ts", 'import "@elwood/runtime/ports/ports"; import { WebSocket } from "ws";'],
    ["apps/gateway/src/gateway.ts", 'import { open } from "@elwood/store-sqlite/database";'],
    ["apps/gateway/src/server/a.test.ts", 'import { open } from "@elwood/store-sqlite/database";'],
    ["apps/gateway/src/a.test.ts", 'import "@elwood/testkit/clock";'],
    ["apps/web/src/a.ts", 'import "@elwood/core/protocol/events"; import "lit";'],
    ["integrations/github/tools.ts", 'import { defineTool } from "@elwood/sdk/tool";'],
  ])("%s: %s", (path, text) => {
    expect(importProblems({ path, text })).toEqual([]);
  });
});

const inRuntime = (text: string) => ambientProblems({ path: "packages/runtime/src/a.ts", text });

test.each([
  "const t = Date.now();",
  "const t = new Date();",
  "const t = Date();",
  "const n = Math.random();",
  "const e = process.env.HOME;",
  'const e = process["env"];',
  'await fetch("https://example.org");',
  "const f = { go: fetch };",
  "setTimeout(() => undefined, 1);",
  "setInterval(() => undefined, 1);",
  "setImmediate(() => undefined);",
  "const id = crypto.randomUUID();",
  "const t = performance.now();",
  'console.log("x");',
  "const g = globalThis;",
  "const s = AbortSignal.timeout(5);",
  "function f(a = Date.now()) { return a; }",
  "const s = `${Date.now()}`;",
  "const v = (process as { pid: number }).pid;",
  'import { setTimeout } from "node:timers/promises";',
  'import { readFile } from "node:fs/promises";',
  'import { randomBytes as bytes } from "node:crypto";',
])("core and runtime may not say: %s", (text) => {
  expect(inRuntime(text)).toHaveLength(1);
});

test.each([
  "// Date.now() and process.env are for others\nconst why = 'fetch setTimeout';",
  "const t = (clock: Clock) => clock.now();",
  "const t = new Date(1_000);",
  "const f = (fetch: Fetch) => fetch('x');",
  "const f = ({ fetch }: Ports) => fetch('x');",
  "const x = port.fetch('x'); const y = { process: 1 };",
  "type T = typeof globalThis.fetch; interface P { process: string }",
  'import { createHash } from "node:crypto";',
])("core and runtime may say: %s", (text) => {
  expect(inRuntime(text)).toEqual([]);
});

test("tests and other parts may look at the clock", () => {
  const text = "const t = Date.now();";
  expect(ambientProblems({ path: "packages/runtime/src/a.test.ts", text })).toEqual([]);
  expect(ambientProblems({ path: "apps/gateway/src/clock.ts", text })).toEqual([]);
});

test("what belongs to a machine is found, and words that look alike are not", () => {
  const of = (...parts: string[]) =>
    wordProblems({ path: "docs/a.md", text: `see ${parts.join("/")} there` });
  expect(of("", "work", "main")).toHaveLength(1);
  expect(of("", "tmp", "bash_jobs.0")).toHaveLength(1);
  expect(of("..", "shared", "spec")).toHaveLength(1);
  expect(of("https:", "", ["registry", "npmjs", "org"].join("."))).toHaveLength(1);
  expect(of("~", "work", "notes")).toEqual([]);
  expect(of("a", "framework", "b")).toEqual([]);
});
