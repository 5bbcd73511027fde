import { expect, test } from "vitest";
import { callWords, groupWords, type ShownCall } from "./call-words.ts";

let made = 0;
const call = (tool: string, status = "succeeded", parent?: string): ShownCall => ({
  callId: `${tool}-${status}-${(made += 1)}`,
  tool,
  status,
  ...(parent === undefined ? {} : { parent }),
});

test.each<[readonly ShownCall[], string]>([
  [[call("files.file.read")], "Read 1 file"],
  [
    [call("shell.command.run"), call("files.file.read"), call("files.file.read")],
    "Ran 1 command, read 2 files",
  ],
  [[call("files.file.write", "denied"), call("files.file.read")], "1 denied · read 1 file"],
  [[call("files.file.write", "started")], "1 running"],
  [[call("files.file.move", "asked"), call("files.file.read")], "1 waiting for you · read 1 file"],
  [[call("workspace.tool.check"), call("files.file.read")], "Checked a tool of your own, read 1 file"],
  [[call("mail.message.send"), call("mail.message.send")], "Send mail message 2 times"],
  [
    [{ ...call("shell.command.run"), exitCode: 2 }, call("shell.command.run")],
    "1 ended with code 2 · ran 2 commands",
  ],
  [[call("files.file.delete", "undone"), call("files.file.read")], "1 undone · read 1 file"],
  [[call("program.code.run"), call("files.file.write", "succeeded", "p")], "Ran 1 program"],
  [
    ["a.txt", "b.txt", "a.txt", "b.txt"].map((target) => ({ ...call("files.file.read"), target })),
    "Read 2 files",
  ],
  [[{ ...call("files.file.write"), target: "shopping.txt" }], "Wrote shopping.txt"],
  [["x", "y"].map((callId) => ({ ...call("files.file.read"), callId })), "Read 2 files"],
  [["ls", "ls"].map((target) => ({ ...call("shell.command.run"), target })), "Ran 2 commands"],
])("a group says what was done, and first what was not", (calls, words) => {
  expect(groupWords(calls)).toBe(words);
});

test("one call is told in people's words, by how it stands, and names what it is about", () => {
  expect(callWords("files.file.list", "succeeded").words).toBe("Listed a folder");
  expect(callWords("files.file.delete", "undone", "a $& b.txt").words).toBe("Deleted a $& b.txt");
  expect(callWords("files.file.delete", "denied", "old.txt")).toEqual({ words: "Delete old.txt", about: "" });
  expect(callWords("shell.command.run", "running", "ls")).toEqual({
    words: "Running a command",
    about: "ls",
  });
  expect(callWords("owner.question.ask", "succeeded").words).toBe("Asked you");
});
