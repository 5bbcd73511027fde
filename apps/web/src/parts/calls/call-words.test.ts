import { expect, test } from "vitest";
import { groupWords, type ShownCall } from "./call-words.ts";

const call = (tool: string, status = "succeeded", parent?: string): ShownCall => ({
  callId: `${tool}-${status}`,
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
  [[call("mail.message.send"), call("mail.message.send")], "Used mail.message.send 2 times"],
  [
    [{ ...call("shell.command.run"), exitCode: 2 }, call("shell.command.run")],
    "1 ended with code 2 · ran 2 commands",
  ],
  [[call("program.code.run"), call("files.file.write", "succeeded", "p")], "Ran 1 program"],
])("a group says what was done, and first what was not", (calls, words) => {
  expect(groupWords(calls)).toBe(words);
});
