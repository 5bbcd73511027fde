import { expect, test } from "vitest";
import { sourceInWords } from "./source-words.ts";

test.each<[string, string | undefined, string]>([
  ["files.file.list", ".", "the list of files in this folder"],
  ["files.file.list", "notes/old", "the list of files in “notes/old”"],
  ["files.file.read", "todo.md", "the file “todo.md”"],
  ["files.file.search", '"ferry" in .', "the search for “ferry” in this folder"],
  ["web.page.fetch", "https://example.org/", "the web page “https://example.org/”"],
  ["shell.command.run", undefined, "a command"],
  ["browser.page.read", undefined, "a page in the browser"],
  ["bank.account.read", undefined, "the bank account"],
  ["mail.message.list", "inbox", "the list of mail messages for “inbox”"],
  ["schedule.job.list", undefined, "the list of schedule jobs"],
  ["github.issue.search", "crash", "the search in github issues for “crash”"],
  ["notes.entry.list", undefined, "the list of notes entries"],
  ["bank.account.close", undefined, "what “close bank account” returned"],
])("%s about %s is called by what people know it as", (toolId, target, words) => {
  const said = sourceInWords({ toolId, ...(target === undefined ? {} : { target }) });
  expect(said).toBe(words);
  expect(said).not.toContain(toolId);
});

test("a long target is cut, and a line break does not begin a line of its own", () => {
  const said = sourceInWords({ toolId: "files.file.read", target: `a\n${"x".repeat(500)}` });
  expect(said.length).toBeLessThan(110);
  expect(said).not.toContain("\n");
});
