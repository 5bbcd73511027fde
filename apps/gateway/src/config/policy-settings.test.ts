import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { faultWords } from "./file-roots.ts";

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
    ["policy: { mode: relaxed }", 'must be one of "balanced", "trusting", "strict", found "relaxed"'],
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

  test("a relative root starts at the file it stands in, and may be changed only where that is said", async () => {
    const f = testFolder();
    const file = f.write(
      "etc/elwood.yaml",
      "files:\n  roots:\n    - ~/notes\n    - path: shared\n      write: true\n    - { path: /srv/read }\n",
    );
    const { config, origins } = await f.load({ env: { ELWOOD_CONFIG: file } });
    expect(config.files.roots.slice(0, 3)).toEqual([
      { path: join(f.root, "user", "notes"), write: false },
      { path: join(f.root, "etc", "shared"), write: true },
      { path: "/srv/read", write: false },
    ]);
    expect(origins.get("files.roots")).toBe("elwood.yaml:2");
  });

  test("naming folders adds them, and closes neither the workspace nor Elwood's folder for files", async () => {
    const moved = await loaded("agents:\n  workspaceDir: /srv/workspace\nfiles: { roots: [/srv/read] }\n");
    const files = { path: join(moved.root, "home", "files"), write: true };
    expect(moved.config.files.roots).toEqual([
      { path: "/srv/read", write: false },
      files,
      { path: "/srv/workspace", write: true },
    ]);
    const none = await loaded("files: { roots: [] }\n");
    expect(none.config.files.roots.map(({ path }) => path)).toEqual([
      join(none.root, "home", "files"),
      join(none.root, "home", "workspace"),
    ]);
    const named = await loaded("agents:\n  workspaceDir: /srv/w\nfiles: { roots: [/srv/w] }\n");
    expect(named.config.files.roots[0]).toEqual({ path: "/srv/w", write: true });
    expect(named.config.files.roots).toHaveLength(2);
  });

  test("in a file in Elwood's data folder a relative root starts at the owner's home, and what it means is told", async () => {
    const f = testFolder();
    f.write("home/config.yaml", "files: { roots: [notes] }\nshell: { root: ./work }\n");
    const { config, notices } = await f.load();
    expect(config.files.roots[0]).toEqual({ path: join(f.root, "user/notes"), write: false });
    expect(config.shell.root).toBe(join(f.root, "user/work"));
    expect(notices.map(({ text }) => text).join("\n")).toContain(
      `the folder ${join(f.root, "user/notes")} does not exist`,
    );
  });

  test("a root that is no folder is told at the start, and the others stay open", async () => {
    const f = testFolder();
    f.write("user/list.txt", "x");
    f.write("home/config.yaml", "files: { roots: [~/gone, ~/list.txt, '~'] }\n");
    const { notices, config } = await f.load();
    const [gone, list] = [join(f.root, "user", "gone"), join(f.root, "user", "list.txt")];
    expect(notices.map(({ text }) => text)).toEqual([
      `\`files.roots[0]\`: the folder ${gone} does not exist, so the file tools cannot use it. Create it, or correct the path.`,
      `\`files.roots[1]\`: ${list} is not a folder, so the file tools cannot use it. Name the folder it is in.`,
    ]);
    expect(config.files.roots).toHaveLength(5);
  });

  test("a root that cannot be looked at is told as what it is, not as missing", async () => {
    const f = testFolder();
    f.write("user/list.txt", "x");
    symlinkSync(join(f.root, "user/round"), join(f.root, "user/round"));
    const long = "x".repeat(300);
    f.write("home/config.yaml", `files: { roots: [~/round, ~/list.txt/inner, ~/${long}] }\n`);
    const { notices } = await f.load();
    const user = join(f.root, "user");
    expect(notices.map(({ text }) => text)).toEqual([
      `\`files.roots[0]\`: ${user}/round goes through a symbolic link that leads back to itself, so the file tools cannot use it. Correct the link, or name the folder itself.`,
      `\`files.roots[1]\`: a part of the path ${user}/list.txt/inner is a file, not a folder, so the file tools cannot use it. Correct the path.`,
      `\`files.roots[2]\`: the path ${user}/${long} is longer than the system takes, so the file tools cannot use it. Correct the path.`,
    ]);
    expect(faultWords("/srv/x", "EACCES").what).toBe(
      "the user that runs Elwood may not open the folder /srv/x",
    );
    expect(faultWords("/srv/x", "EIO").what).toBe("the system could not look at the folder /srv/x (EIO)");
  });

  // The system keeps nothing from root.
  test.runIf(process.getuid?.() !== 0)("a root that this user may not open is told as such", async () => {
    const f = testFolder();
    f.write("user/closed/x", "x");
    chmodSync(join(f.root, "user/closed"), 0);
    f.write("home/config.yaml", "files: { roots: [~/closed] }\n");
    const { notices } = await f.load();
    chmodSync(join(f.root, "user/closed"), 0o700);
    expect(notices.map(({ text }) => text).join()).toContain("may not open the folder");
  });

  test.each([
    ["files: { roots: [~/notes, HOME/keys] }", "config.yaml:1 `files.roots[1]` means HOME/keys, which is in"],
    ["files: { roots: [HOME] }", "`files.roots[0]` means HOME, which is in Elwood's own data folder."],
    ["files: { roots: [{ path: HOME/files/../memory, write: true }] }", "means HOME/memory"],
    ["files: { roots: [~/link] }", "means USER/link"],
    ["files: { roots: [HOME/workspace/link] }", "means HOME/workspace/link"],
    ["shell: { root: ../home/sessions }", "`shell.root` means HOME/sessions"],
  ])("a folder in Elwood's own data is refused: %s", async (text, problem) => {
    const f = testFolder();
    f.write("home/config.yaml", `${text.replace("HOME", join(f.root, "home"))}\n`);
    f.write("home/keys/owner-token", "secret");
    f.write("home/workspace/SOUL.md", "");
    f.write("user/x", "");
    for (const link of ["user/link", "home/workspace/link"])
      symlinkSync(join(f.root, "home/keys"), join(f.root, link));
    const [found] = await f.problems();
    const said = problem.replace("HOME", join(f.root, "home")).replace("USER", join(f.root, "user"));
    expect(found).toContain(said);
    expect(found).toContain("No tool may use that folder. Write the whole path");
  });

  test("folders inside of the workspace and of Elwood's folder for files may be named", async () => {
    const f = testFolder();
    const home = join(f.root, "home");
    f.write("home/config.yaml", `files: { roots: [${home}/files/projects, ${home}/workspace] }\n`);
    const { config } = await f.load();
    expect(config.files.roots[0]).toEqual({ path: join(home, "files/projects"), write: false });
    expect(config.files.roots[1]).toEqual({ path: join(home, "workspace"), write: true });
  });
});
