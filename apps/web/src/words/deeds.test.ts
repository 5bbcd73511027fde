import { expect, test } from "vitest";
import { deeds } from "./de/deeds.ts";
import { deedText, spokenDeed } from "./deeds.ts";

test("a deed is told with the name of what it is done to, written as it is", () => {
  expect(deedText("files.file.write", "done", "shopping.txt")).toEqual({
    words: "Wrote shopping.txt",
    about: "",
  });
  expect(deedText("files.file.list", "done", ".")).toEqual({ words: "Listed a folder", about: "" });
  expect(deedText("shell.command.run", "doing", "ls")).toEqual({ words: "Running a command", about: "ls" });
});

test("in German a name that begins the sentence keeps its letters", () => {
  const german = (tool: string, time: "todo" | "doing" | "done", target: string) =>
    spokenDeed(deeds[tool]!, tool, time, target).words;
  expect(german("files.file.delete", "done", "notes/old.md")).toBe("notes/old.md gelöscht");
  expect(german("web.page.fetch", "todo", "https://example.com/")).toBe("https://example.com/ abrufen");
  expect(german("files.file.write", "doing", "a.txt")).toBe("Schreibt a.txt");
  expect(german("files.file.write", "todo", "")).toBe("Eine Datei schreiben");
});
