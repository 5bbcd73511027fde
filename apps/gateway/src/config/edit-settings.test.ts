import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configTemplate } from "./config-template.ts";
import { editSettings } from "./edit-settings.ts";

const set = (key: string, value: unknown) => ({ path: key.split("."), value });

describe("settings that are changed in their file", () => {
  test.each([
    ["an empty file", "", [set("telegram.token", "${T}")], "telegram:\n  token: ${T}\n"],
    ["a file of remarks", "# mine\n", [set("model", "a/b")], "# mine\nmodel: a/b\n"],
    [
      "a file without a last line end",
      "model: a/b",
      [set("log.level", "debug")],
      "model: a/b\nlog:\n  level: debug\n",
    ],
    [
      "a group with remarks at its end",
      "policy:\n  # about\n  mode: strict # so\n  # approver: false\n\nlog:\n  level: info\n",
      [set("policy.approver", false)],
      "policy:\n  # about\n  mode: strict # so\n  approver: false\n  # approver: false\n\nlog:\n  level: info\n",
    ],
    [
      "a quoted value with a remark",
      "policy:\n  mode: 'balanced' # so\n",
      [set("policy.mode", "strict")],
      "policy:\n  mode: strict # so\n",
    ],
    [
      "a key with only remarks below it",
      "telegram:\n  # token: x\nlog:\n  level: info\n",
      [set("telegram.token", "${T}")],
      "telegram:\n  token: ${T}\n  # token: x\nlog:\n  level: info\n",
    ],
    [
      "a value that becomes a group",
      "hooks: ~ # none\nmodel: a/b\n",
      [set("hooks.deploy.secret", "${S}")],
      "hooks: # none\n  deploy:\n    secret: ${S}\nmodel: a/b\n",
    ],
    [
      "a list, item by item",
      "telegram:\n  allowedChatIds:\n    - '1' # me\n    # a friend\n    - '2'\n    - '3' # last\n",
      [set("telegram.allowedChatIds", ["1", "3", "4"])],
      'telegram:\n  allowedChatIds:\n    - \'1\' # me\n    # a friend\n    - "3"\n    - "4"\n',
    ],
    [
      "a list that grows",
      "a:\n  - x # first\nb: 1\n",
      [set("a", ["x", "y"])],
      "a:\n  - x # first\n  - y\nb: 1\n",
    ],
    ["a list in brackets", "a: [x, y] # two\n", [set("a", ["x", "y", "z"])], "a: [x, y, z] # two\n"],
    [
      "a group in braces",
      "policy: { approver: true } # so\n",
      [set("policy.mode", "strict")],
      "policy: { approver: true, mode: strict } # so\n",
    ],
    [
      "a file in braces",
      "{ policy: { approver: true } }\n",
      [set("policy.mode", "strict")],
      "{ policy: { approver: true, mode: strict } }\n",
    ],
    [
      "JSON",
      '{\n    "model": "a/b",\n    "log": {"level": "info"}\n}\n',
      [set("log.level", "debug"), set("model", undefined)],
      '{\n    "log": {\n        "level": "debug"\n    }\n}\n',
    ],
    [
      "a list of groups",
      "cron:\n  - name: a # one\n    schedule: x\n",
      [
        set("cron", [
          { name: "a", schedule: "x" },
          { name: "b", schedule: "0 9 * * *" },
        ]),
      ],
      "cron:\n  - name: a # one\n    schedule: x\n  - name: b\n    schedule: 0 9 * * *\n",
    ],
    ["a text of several lines", "a: |\n  one\n  two\nb: 1\n", [set("a", "three")], "a: three\nb: 1\n"],
    ["a text that must be quoted", "a: b\n", [set("a", "x: y\n# z")], 'a: "x: y\\n# z"\n'],
  ])("keep all other lines: %s", (_what, before, edits, after) => {
    expect(editSettings(before, edits)).toBe(after);
  });

  test.each([
    ["telegram:\n  token: ${T}\nlog:\n  level: info\n", "telegram.token", "log:\n  level: info\n"],
    ["telegram:\n  # keep\n  token: ${T}\n", "telegram.token", "telegram:\n  # keep\n"],
    ["a:\n  b: 1 # one\n  c: 2 # two\n", "a.b", "a:\n  c: 2 # two\n"],
    ["a:\n  b:\n    c: 1\nd: 2\n", "a.b.c", "d: 2\n"],
    ["a: 1\n", "b.c", "a: 1\n"],
    ["a: {b: 1, c: 2}\n", "a.b", "a: {c: 2}\n"],
  ])("are removed from %j", (before, key, after) => {
    expect(editSettings(before, [set(key, undefined)])).toBe(after);
  });

  test("are not changed where an alias shares the value, or the file is none of settings", () => {
    expect(editSettings("a: &x {b: 1}\nc: *x\n", [set("a.b", 2)])).toBeUndefined();
    expect(editSettings("a: &x\n  b: 1\nc: *x\n", [set("c.b", 2)])).toBeUndefined();
    expect(editSettings("- a\n", [set("a", 2)])).toBeUndefined();
    expect(editSettings("a: [\n", [set("a", 2)])).toBeUndefined();
    expect(editSettings("a: 1\n", [set("a.b", 2)])).toBeUndefined();
  });

  test("keep every line of the file of a first start but their own", () => {
    const before = configTemplate("UTC");
    const edits = [set("policy.mode", "strict"), set("telegram", { token: "${T}", approverIds: ["1", "2"] })];
    const after = editSettings(before, edits)!;
    const kept = after.split("\n").filter((line) => before.split("\n").includes(line));
    expect(kept.length).toBe(before.split("\n").length - 1);
    expect(parse(after)).toMatchObject({
      policy: { mode: "strict" },
      telegram: { token: "${T}", approverIds: ["1", "2"] },
    });
    expect(editSettings(after, [set("telegram", undefined), set("policy.mode", "balanced")])).toBe(before);
  });
});
