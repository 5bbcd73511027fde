import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "./test-folder.ts";

async function loaded(text: string) {
  const f = testFolder();
  f.write("home/config.yaml", text);
  return { ...(await f.load()), root: f.root };
}

describe("EL-14: the owner's rules", () => {
  test("reach the policy with the line each stands on, whatever name the tool is given", async () => {
    const { rules, notices } = await loaded(
      [
        "policy:",
        "  rules:",
        "    - tool: files.*",
        "      decision: allow",
        "    - { tool: bash, decision: ask }",
        "permissions:",
        "  tool_policy:",
        "    run_command: deny",
        "    files.file.write: ask",
        '    "*": ask',
      ].join("\n"),
    );
    expect(rules).toEqual([
      { tool: "files.*", decision: "allow", origin: "config.yaml:3" },
      { tool: "shell.command.run", decision: "ask", origin: "config.yaml:5" },
      { tool: "shell.command.run", decision: "deny", origin: "config.yaml:8" },
      { tool: "files.file.write", decision: "ask", origin: "config.yaml:9" },
      { tool: "*", decision: "ask", origin: "config.yaml:10" },
    ]);
    expect(notices).toEqual([]);
  });

  test("safe commands and dangerous patterns are read", async () => {
    const { config, notices } = await loaded(
      "permissions:\n  safe_commands: [git]\n  dangerous_patterns: ['\\brm\\b']\n  tool_policy: { bash: ask }\n",
    );
    expect(config.permissions).toMatchObject({ safeCommands: ["git"], dangerousPatterns: ["\\brm\\b"] });
    expect(notices).toEqual([]);
  });

  test.each([
    [
      "permissions: { tool_policy: { red_file: deny } }",
      "`permissions.tool_policy.red_file` cannot be used: it names no tool.",
    ],
    ["permissions: { tool_policy: { Files.file.read: deny } }", "it names no tool"],
    ["permissions: { tool_policy: { bash: never } }", 'must be one of "allow", "ask", "deny", found "never"'],
    [
      "policy: { rules: [{ tool: files, decision: deny }] }",
      "`policy.rules[0].tool` cannot be used: it names no tool.",
    ],
    ["policy: { rules: [{ tool: 'files*', decision: deny }] }", "it names no tool"],
    ["policy: { rules: [{ tool: 'a.b.c.*', decision: deny }] }", "it names no tool"],
    ["policy: { rules: [{ tool: files.*, decision: block }] }", 'must be one of "allow", "ask", "deny"'],
    ["policy: { rules: [{ tool: files.* }] }", "lacks `decision`"],
    ["policy: { rules: { files.*: deny } }", "must be a list of rules"],
    ["policy: { mode: relaxed }", 'must be one of "balanced", "strict", found "relaxed"'],
    ["policy: { approver: maybe }", "must be true or false"],
    ["policy: { approvalExpiryHours: 0 }", "must be a number above 0"],
    ["policy: { approvalExpiryHours: 100000 }", "at most 8760"],
    ["policy: { rule: [] }", "Did you mean `policy.rules`?"],
    ["permissions: { dangerous_patterns: ['('] }", "must be a regular expression"],
    ["files: { roots: [5] }", "must be a group of settings, found 5"],
    ["files: { roots: [{ path: a, wirte: true }] }", "Did you mean `files.roots[0].write`?"],
  ])("%s is told and not half obeyed", async (text, words) => {
    const f = testFolder();
    f.write("home/config.yaml", text);
    const problems = await f.problems();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
  });
});

describe("policy and files", () => {
  test("have defaults: balanced, a week to answer, somebody to ask, the files folder and the workspace", async () => {
    const f = testFolder();
    const { config, rules, origins } = await f.load();
    expect(config.policy).toEqual({
      mode: "balanced",
      rules: [],
      approvalExpiryHours: 168,
      approver: true,
      knownDestinations: false,
    });
    expect(rules).toEqual([]);
    expect(config.files.roots).toEqual([
      { path: join(f.root, "home", "files"), write: true },
      { path: join(f.root, "home", "workspace"), write: true },
    ]);
    expect(origins.get("files.roots")).toBe("default");
  });

  test("roots start at the file they stand in, and may be changed only where that is said", async () => {
    const { config, origins, root } = await loaded(
      "files:\n  roots:\n    - ~/notes\n    - path: shared\n      write: true\n    - { path: /srv/read }\n",
    );
    expect(config.files.roots).toEqual([
      { path: join(root, "user", "notes"), write: false },
      { path: join(root, "home", "shared"), write: true },
      { path: "/srv/read", write: false },
    ]);
    expect(origins.get("files.roots")).toBe("config.yaml:2");
  });

  test("the workspace is a root wherever it was put, unless roots are named", async () => {
    const moved = await loaded("agents:\n  workspaceDir: /srv/workspace\n");
    expect(moved.config.files.roots).toContainEqual({ path: "/srv/workspace", write: true });
    expect((await loaded("files: { roots: [] }\n")).config.files.roots).toEqual([]);
  });
});
