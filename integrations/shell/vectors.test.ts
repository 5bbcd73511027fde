import { readFileSync, symlinkSync, linkSync, mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CAGE, makeScene, type Verdict } from "./test-scene.ts";

interface Vector {
  readonly id: string;
  readonly input: object;
  readonly expect: Verdict;
}

const VECTORS = JSON.parse(readFileSync(new URL("./test-vectors.json", import.meta.url), "utf8")) as Vector[];

const argv = (...words: string[]) => ({ argv: words });
const line = (command: string) => ({ command });
const env = (name: string) => ({ argv: ["git", "status"], env: { [name]: "x" } });

/** Further ones of the same kinds. */
const ASK: readonly object[] = [
  // Shells, wrappers and interpreters, under whatever name.
  ...[
    "env git status",
    "env -i git status",
    "env -S 'git status'",
    "/usr/bin/env git status",
    "nice git status",
    "ionice -c3 git status",
    "nohup git status",
    "setsid git status",
    "stdbuf -o0 git status",
    "xargs git status",
    "sudo git status",
    "su -c id",
    "ssh host git status",
    "docker run x",
    "script -c id",
    "flock x id",
    "chroot / id",
    "unshare id",
    "busybox ls",
    "zsh -c ls",
    "/bin/sh -c ls",
    "dash x.sh",
    "python x.py",
    "python3.11 -c 1",
    "perl -e 1",
    "ruby -e 1",
    "php -r 1",
    "lua5.4 x",
    "awk 1 f",
    "gawk 1",
    "sed -n p f",
    "sed s/a/b/e f",
    "vi f",
    "vim.basic f",
    "ed f",
    "emacs --batch",
    "npx x",
    "npm test",
    "make",
    "cargo run",
    "go run x.go",
    "find . -delete",
    "find . -execdir id",
    "find . -fprint x",
    "tar xf a.tar",
    "zip -TT id x",
    "git -c core.pager=id status",
    "git -c alias.x=!id x",
    "git --git-dir=x status",
    "git --work-tree=/ status",
    "git --config-env=a=b status",
    "git -p status",
    "git diff --ext-diff",
    "git diff --textconv",
    "git diff --output=x",
    "git diff --no-index /etc/passwd f",
    "git log --output=x",
    "git log -Oorder",
    "git show --textconv HEAD",
    "git grep -Ovi x",
    "git grep --open-files-in-pager x",
    "git branch new",
    "git branch -D main",
    "git tag v1",
    "git tag -d v1",
    "git config --get user.name",
    "git remote -v",
    "git fetch",
    "git push",
    "git pull",
    "git clone x",
    "git commit -m x",
    "git checkout .",
    "git stash",
    "git bisect run id",
    "git rebase -x id",
    "git submodule foreach id",
    "git archive --exec=id",
    "git log --format=%GK",
    "git stat",
    "git status --porc",
    "git show HEAD:.env",
    "git show HEAD:../x",
    "git diff -- ../x",
    "sort --compress-program=sh f",
    "sort --compress-prog=sh f",
    "sort -o out f",
    "sort --output=out f",
    "sort -ooutfile f",
    "sort -ro out f",
    "sort -T /tmp f",
    "sort --files0-from=f",
    "sort --random-source=f",
    "sort -S 1G f",
    "uniq in out",
    "tail -f f",
    "tail --follow f",
    "tail --retry f",
    "tail --pid=1 f",
    "wc --files0-from=f",
    "du --files0-from=f",
    "du -X f",
    "grep -f /etc/shadow x",
    "grep /etc/passwd -e root",
    "grep .env -e x",
    "grep /etc/passwd -n -e root",
    "grep -r x .",
    "grep -R x .",
    "grep --include=f x",
    "grep -P x f",
    "grep x /etc/passwd",
    "grep x ../state",
    "diff -r a b",
    "diff --from-file=a b",
    "date -s tomorrow",
    "date --set=x",
    "date -f f",
    "date 010100002030",
    "ls --hyperlink f",
    "ls --colo",
    "ls /",
    "ls ..",
    "ls a/../..",
    "cat -",
    "cat .env",
    "cat sub/.ssh/config",
    "cat ./id_rsa",
    "cat server.pem",
    "cat -- -x",
    "cat -- /etc/passwd",
    "head -c",
    "head --lines 5 /etc/passwd",
    "file -m x f",
    "file -C",
    "file -f list",
    "hostname x",
    "id root",
    "which -s",
    "md5sum -c list",
    "sha256sum --check list",
  ].map(line),
  // Anything that means something to a shell.
  ...[
    "git status && id",
    "git status | cat",
    "git status |& cat",
    "git status > out",
    "git status >> out",
    "git status < in",
    "git status 2>&1",
    "git status `id`",
    'git status "$(id)"',
    'git status "`id`"',
    "git status $HOME",
    "echo ~",
    "ls ~root",
    "echo a=~",
    "ls *",
    "ls ?.txt",
    "ls [ab]",
    "echo {a,b}",
    "(git status)",
    "{ git status; }",
    "! git status",
    "git status # x",
    "PATH=x git status",
    "A=1 git status",
    "A+=1 git status",
    "git status\nid",
    "git status\r\nid",
    "git\\\nstatus",
    "cat <<'EOF'\nx\nEOF",
    "cat <<< x",
    "ls >(id)",
    "echo 'unclosed",
    'echo "unclosed',
    "echo \\",
    "time ls",
    "if true; then id; fi",
    "while true",
    "function x",
    "cd sub",
    "export A=b",
    "source x",
    ". x",
    "eval ls",
    "exec ls",
    "command ls",
    "builtin pwd",
    "alias x=y",
    "$'ls'",
    "[ -f x ]",
    "[[ -f x ]]",
    "%1",
    "ls\u00a0-l",
    "l\u200bs",
    "ls \u202etxt",
  ].map(line),
  // The same signs as arguments are text, and such a call is asked about all the same.
  argv("echo", "a", ";", "id"),
  argv("echo", "$(id)"),
  argv("echo", "`id`"),
  argv("echo", "a&b"),
  argv("echo", ">", "x"),
  argv("echo", "~"),
  argv("echo", "a\nb"),
  argv("cat", "*.txt"),
  argv("cat", "a?"),
  argv("cat", "[a]"),
  argv("cat", "{a,b}"),
  argv("cat", "~/x"),
  argv("cat", "$HOME"),
  argv("ls", ""),
  argv("git", "log", "HEAD@{1}"),
  argv("git", "status", "$(id)"),
  // The program itself.
  argv("", "x"),
  argv("GIT", "status"),
  argv("git\t", "status"),
  argv(" git", "status"),
  argv("git\0", "status"),
  argv("git\u200b", "status"),
  argv("../git", "status"),
  argv("sub/git", "status"),
  argv("/usr/bin/../../tmp/git", "status"),
  argv("//usr/bin/git", "status"),
  argv("no-such-program-here"),
  argv("git", "status", "\ud800"),
  argv("."),
  argv("[", "-f", "x", "]"),
  // The network is never for nothing.
  { argv: ["ls"], network: true },
];

const DENY: readonly object[] = [
  ..."path Path LD_PRELOAD LD_BIND_NOW DYLD_LIBRARY_PATH BASH_ENV BASH_FUNC_ls%% IFS PROMPT_COMMAND NODE_PATH NODE_EXTRA_CA_CERTS PYTHONHOME PYTHONINSPECT PERL5LIB PERL5DB RUBYOPT RUBYLIB GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_EDITOR GIT_ASKPASS SSH_ASKPASS VISUAL BROWSER MANPAGER LESS LESSCLOSE HTTPS_PROXY https_proxy ALL_PROXY NO_PROXY JDK_JAVA_OPTIONS CLASSPATH COMPlus_X NPM_CONFIG_PREFIX npm_config_registry CARGO_HOME GOFLAGS RUSTC_WRAPPER MAKEFLAGS CC TMPDIR HOME SHELL XDG_CONFIG_HOME ELWOOD_TOKEN ANTHROPIC_API_KEY OPENAI_API_KEY GCONV_PATH LOCPATH TERMINFO FOO A=B"
    .split(" ")
    .map(env),
  env(""),
  env("A B"),
  env("__proto__x"),
];

const ALLOW: readonly object[] = [
  ...[
    "ls",
    "ls -la",
    "ls -l sub",
    "ls -- sub",
    "cat notes.txt",
    "cat 'notes.txt'",
    'cat "notes.txt"',
    "cat ./sub/../notes.txt",
    "cat missing.txt",
    "head -n 5 notes.txt",
    "head -5 notes.txt",
    "head -n5 notes.txt",
    "head --lines=5 notes.txt",
    "tail -n +2 notes.txt",
    "wc -l notes.txt",
    "sort -rn notes.txt",
    "sort -t , -k 2,2 notes.txt",
    "uniq -c notes.txt",
    "cut -d : -f 1,2 notes.txt",
    "grep -n needle notes.txt",
    "grep -i -A 2 'two words' notes.txt",
    "grep -e needle notes.txt",
    "date",
    "date -u +%Y-%m-%d",
    "date --date='next friday'",
    "pwd",
    "echo hello world",
    "whoami",
    "uname -a",
    "du -sh sub",
    "df -h",
    "stat notes.txt",
    "basename a/b.txt .txt",
    "seq 1 5",
    "which git",
    "true",
    "diff notes.txt other.txt",
    "sha256sum notes.txt",
    "git status",
    "git status --short",
    "git log --oneline -5",
    "git log -n 3 --since='2 weeks ago'",
    "git log --format=%H",
    "git diff",
    "git diff HEAD~1 -- notes.txt",
    "git diff --stat main..topic",
    "git show HEAD",
    "git show HEAD:notes.txt",
    "git branch",
    "git branch -a",
    "git rev-parse HEAD",
    "git ls-files",
    "git blame notes.txt",
    "/usr/bin/git status",
  ].map(line),
  { argv: ["ls"], cwd: "sub" },
  { argv: ["ls"], network: false },
];

describe.runIf(CAGE.ok)("a command is judged before it is run", () => {
  test.each(VECTORS)("$id: $expect", async ({ input, expect: wanted }) => {
    using scene = makeScene();
    expect(await scene.tool().verdict(input)).toBe(wanted);
  });

  test("others of the same kinds ask", { timeout: 60_000 }, async () => {
    using scene = prepared();
    const tool = scene.tool();
    const wrong: string[] = [];
    for (const input of ASK) if ((await tool.verdict(input)) !== "ask") wrong.push(JSON.stringify(input));
    expect(wrong).toEqual([]);
  });

  test("an environment that was not let through is denied", async () => {
    using scene = prepared();
    const tool = scene.tool();
    const wrong: string[] = [];
    for (const input of DENY) if ((await tool.verdict(input)) !== "deny") wrong.push(JSON.stringify(input));
    expect(wrong).toEqual([]);
  });

  test("what only looks runs unasked, and does run", { timeout: 60_000 }, async () => {
    using scene = prepared();
    const tool = scene.tool();
    const wrong: string[] = [];
    for (const input of ALLOW) {
      if ((await tool.verdict(input)) !== "allow") wrong.push(JSON.stringify(input));
      else {
        const { output } = await tool.run(input);
        if (/not a|usage|unrecognized|invalid option|unknown/i.test(output)) wrong.push(output);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("links that lead out, second names of files and pipes are asked about", async () => {
    using scene = prepared();
    const tool = scene.tool();
    symlinkSync("/etc/passwd", scene.path("link"));
    symlinkSync("/", scene.path("folder-link"));
    symlinkSync(scene.path("nowhere"), scene.path("dangling"));
    symlinkSync(scene.path("notes.txt"), scene.path("inside"));
    linkSync(scene.path("notes.txt"), scene.path("second-name"));
    mkdirSync(scene.path(".ssh"));
    symlinkSync(scene.path(".ssh"), scene.path("innocent"));
    for (const path of ["link", "folder-link/etc/passwd", "dangling", "second-name", "innocent/config"]) {
      expect(await tool.verdict(argv("cat", path)), path).toBe("ask");
    }
    expect(await tool.verdict(argv("cat", "other.txt"))).toBe("allow");
    expect(await tool.verdict({ argv: ["ls"], cwd: "folder-link" })).toBe("deny");
    expect(await tool.verdict({ argv: ["ls"], cwd: "/etc" })).toBe("deny");
    expect(await tool.verdict({ argv: ["ls"], cwd: "../.." })).toBe("deny");
  });
});

function prepared() {
  const scene = makeScene();
  scene.put("notes.txt", "needle\ntwo words\n");
  scene.put("other.txt");
  scene.put("sub/a.txt");
  scene.git("init", "-q");
  scene.git("add", ".");
  scene.git("commit", "-qm", "first");
  scene.put("notes.txt", "needle\nchanged\n");
  scene.git("commit", "-qam", "second");
  scene.git("branch", "topic");
  return scene;
}
