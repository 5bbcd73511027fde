import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { asModule } from "./highlight-module.ts";

test("the library that colours code works as a module of today", async () => {
  const { default: core } = await asToday<typeof import("highlight.js/lib/core")>("core");
  const { default: json } = await asToday<typeof import("highlight.js/lib/languages/json")>("languages/json");
  const hljs = core.newInstance();
  hljs.registerLanguage("json", json);
  expect(hljs.highlight("[1]", { language: "json" }).value).toContain('<span class="hljs-number">1</span>');
});

test("a library that was built otherwise stops the build instead of the page", () => {
  const says = "highlight.js is built otherwise";
  expect(() => asModule("exports.core = core;")).toThrow(says);
  expect(() => asModule('const a = require("a");\nmodule.exports = a;\n')).toThrow(says);
  expect(() => asModule("module.exports = a;\nmodule.exports = b;\n")).toThrow(says);
});

async function asToday<T>(file: string): Promise<T> {
  const path = createRequire(import.meta.url).resolve(`highlight.js/lib/${file}`);
  const { code } = asModule(readFileSync(path, "utf8"));
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as T;
}
