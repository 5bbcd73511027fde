import { expect, test } from "vitest";
import { callInText } from "./text-calls.ts";

const TOOLS = ["files.file.read", "memory.note.save"];

test.each([
  ['{"name": "files__file__read", "arguments": {"path": "a"}}', "", "files.file.read"],
  [
    'I will look.\n```json\n{"tool": "files.file.read", "parameters": {"path": "a"}}\n```\n',
    "I will look.",
    "files.file.read",
  ],
  ['Ok:\n{\n  "name": "memory-note-save",\n  "input": {"key": "k"', "Ok:", "memory.note.save"],
])("a call that stands at the end of a text is found: %j", (text, before, name) => {
  expect(callInText(text, TOOLS)).toMatchObject({ name, before });
});

test.each([
  "There is a tool files.file.read.",
  '{"name": "mail.message.send", "arguments": {}}',
  '{"name": "files__file__read"}',
  'Write {"name": "files__file__read", "arguments": {"path": "a"}} to read a file.',
  '{"name": "files__file__read", "arguments": {"path": "a"}}\nThat is how a call looks.',
  '{"total": 3}',
])("what is no call, or only told of, stays text: %j", (text) => {
  expect(callInText(text, TOOLS)).toBeUndefined();
});
