import { expect, test } from "vitest";
import { WEB_TOOL_LIMITS } from "./limits.ts";
import { PageReader } from "./page-reader.ts";

const page = (words: string) => ({
  html: `<article><h1>T</h1><p>${words}</p></article>`,
  url: "http://a.example/",
});
const never = new AbortController().signal;

test("pages are read one after another and side by side, each its own", async () => {
  const reader = new PageReader(WEB_TOOL_LIMITS);
  expect((await reader.read(page("one"), never)).text).toContain("one");
  const both = await Promise.all([reader.read(page("two"), never), reader.read(page("three"), never)]);
  expect(both.map(({ text }) => /two|three/.exec(text)?.[0])).toEqual(["two", "three"]);
});

test("a page that is stopped or takes too long ends its thread, and the next one is read by another", async () => {
  const reader = new PageReader(WEB_TOOL_LIMITS);
  await reader.read(page("one"), never);
  await expect(reader.read(page("two"), AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
  expect((await reader.read(page("three"), never)).text).toContain("three");
  const hasty = new PageReader({ ...WEB_TOOL_LIMITS, readMs: 0 });
  await expect(hasty.read(page("four"), never)).rejects.toMatchObject({ code: "unreadable" });
});
