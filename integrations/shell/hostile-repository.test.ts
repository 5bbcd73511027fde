import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { hasPlainSettings } from "./git-repository.ts";
import { CAGE, makeScene, type Scene } from "./test-scene.ts";

const LOOKS = [
  "git status",
  "git diff",
  "git log -p",
  "git show HEAD",
  "git blame a.txt",
  "git ls-files -m",
  "git describe --always",
  "git diff HEAD~1",
];

function repository(): Scene {
  const scene = makeScene();
  scene.put("a.txt", "one\n");
  scene.git("init", "-q");
  scene.git("add", ".");
  scene.git("commit", "-qm", "first");
  scene.put("a.txt", "two\n");
  scene.git("commit", "-qam", "second");
  scene.put("a.txt", "three\n");
  scene.put("ran.sh", "#!/bin/sh\necho RAN-BY-GIT >&2\necho RAN-BY-GIT\n");
  chmodSync(scene.path("ran.sh"), 0o755);
  return scene;
}

/** Each setting makes an unguarded git run a program while it only looks. */
const TRAPS: readonly (readonly [string, (scene: Scene) => void])[] = [
  ["a monitor of the files", (scene) => scene.git("config", "core.fsmonitor", scene.path("ran.sh"))],
  ["an external difference", (scene) => scene.git("config", "diff.external", scene.path("ran.sh"))],
  [
    "a driver that turns files into text",
    (scene) => {
      scene.put(".gitattributes", "*.txt diff=x\n");
      scene.git("config", "diff.x.textconv", scene.path("ran.sh"));
    },
  ],
  [
    "a driver for differences",
    (scene) => {
      scene.put(".gitattributes", "*.txt diff=x\n");
      scene.git("config", "diff.x.command", scene.path("ran.sh"));
    },
  ],
  [
    "a filter",
    (scene) => {
      scene.put(".gitattributes", "*.txt filter=x\n");
      scene.git("config", "filter.x.clean", scene.path("ran.sh"));
    },
  ],
  ["a pager", (scene) => scene.git("config", "core.pager", scene.path("ran.sh"))],
  ["settings from another file", (scene) => scene.git("config", "include.path", scene.path("more.cfg"))],
  [
    "a check of signatures",
    (scene) => (
      scene.git("config", "log.showSignature", "true"),
      scene.git("config", "gpg.program", scene.path("ran.sh"))
    ),
  ],
  [
    "an alias with the name of a command",
    (scene) => scene.git("config", "alias.status", `!${scene.path("ran.sh")}`),
  ],
  ["hooks elsewhere", (scene) => scene.git("config", "core.hooksPath", scene.root)],
];

describe.runIf(CAGE.ok)("in a repository that somebody prepared", () => {
  test.each(TRAPS)("%s is asked about", async (_, set) => {
    using scene = repository();
    const tool = scene.tool();
    expect(await tool.verdict({ command: "git status" })).toBe("allow");
    set(scene);
    for (const command of LOOKS) expect(await tool.verdict({ command }), command).toBe("ask");
  });

  test(
    "what the settings name is not run either, but for filters, which the cage holds",
    { timeout: 60_000 },
    async () => {
      for (const [name, set] of TRAPS) {
        using scene = repository();
        set(scene);
        for (const command of LOOKS) {
          const { output } = await scene.tool().run({ command });
          if (name !== "a filter") expect(output, `${name}: ${command}`).not.toContain("RAN-BY-GIT\n");
        }
      }
    },
  );

  test("hooks are not run, and nothing in it is changed", async () => {
    using scene = repository();
    writeFileSync(scene.path(".git/hooks/post-index-change"), "#!/bin/sh\ntouch hooked\n", { mode: 0o755 });
    for (const command of LOOKS) await scene.tool().run({ command });
    expect(existsSync(scene.path("hooked"))).toBe(false);
    expect(existsSync(scene.path(".git/hooked"))).toBe(false);
  });

  test("a folder that looks like a repository, a link to one and a file that names one are asked about", async () => {
    using scene = makeScene();
    scene.put("bare/HEAD", "ref: refs/heads/main\n");
    scene.put("bare/objects/x");
    scene.put("bare/refs/x");
    scene.put("bare/config", "[core]\n\tbare = true\n");
    scene.put("linked/.git", "gitdir: ../elsewhere\n");
    scene.put("parted/HEAD", "ref: refs/heads/main\n");
    scene.put("parted/commondir", "../bare\n");
    const tool = scene.tool();
    for (const cwd of ["bare", "linked", "parted"]) {
      expect(await tool.verdict({ argv: ["git", "status"], cwd }), cwd).toBe("ask");
    }
  });

  test("comparing folders that are no part of one is asked about: it would show keys in them", async () => {
    using scene = makeScene();
    scene.put("keys/.env", "SECRET=1\n");
    scene.put("none/x");
    scene.put("notes.txt");
    const tool = scene.tool();
    const diff = (...args: string[]) => ["git", "diff", ...args];
    for (const args of [
      ["none", "keys"],
      ["--", "none", "keys"],
      ["--stat", "none", "keys"],
      ["dead", "beef"],
    ]) {
      expect(await tool.verdict({ argv: diff(...args) }), args.join(" ")).toBe("ask");
    }
    expect(await tool.verdict({ argv: diff() })).toBe("allow");
    scene.put("project/a.txt");
    scene.git("init", "-q", "project");
    const cwd = "project";
    expect(await tool.verdict({ argv: diff("../none", "../keys"), cwd })).toBe("ask");
    expect(await tool.verdict({ argv: diff("a.txt"), cwd })).toBe("allow");
  });

  test("whether submodules were changed is asked about: their settings are their own", async () => {
    using scene = repository();
    expect(await scene.tool().verdict({ command: "git describe --always" })).toBe("allow");
    expect(await scene.tool().verdict({ command: "git describe --always --dirty" })).toBe("ask");
  });
});

test("settings are plain only where every one of them is known to be", () => {
  const plain =
    '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n';
  expect(hasPlainSettings(plain)).toBe(true);
  for (const more of [
    "[core]\n\tfsmonitor = x",
    "[core] fsmonitor = x",
    "[CORE]\n\tFsMonitor = x",
    '[diff "x"]\n\ttextconv = y',
    "[diff.x]\n\ttextconv = y",
    "[include]\n\tpath = x",
    '[includeIf "gitdir:/"]\n\tpath = x',
    '[filter "x"]\n\tclean = y',
    '[remote "origin"]\n\turl = ext::sh -c id',
    '[remote "origin"]\n\tuploadpack = id',
    '[remote "origin"]\n\tpromisor = true',
    "[extensions]\n\tworktreeConfig = true",
    "[core]\n\tbare = false \\\n[core]\n\tfsmonitor = x",
    "[core\n]\n\tfsmonitor = x",
    "fsmonitor = x",
    '[branch "a\\"]\n',
  ]) {
    expect(hasPlainSettings(`${plain}${more}\n`), more).toBe(false);
  }
});
