import { canonicalJson } from "@elwood/core/base/canonical-json";
import { describe, expect, test } from "vitest";
import { CAGE, makeScene, NO_CAGE } from "./test-scene.ts";

const argv = (...words: string[]) => ({ argv: words });

/** As the gate finds out: one of the keys of the call is the one that was granted. */
async function covers(granted: object, scope: string, call: object): Promise<boolean> {
  using scene = makeScene();
  scene.put("sub/x");
  const tool = scene.tool();
  const key = (await tool.keys(granted)).find((each) => each.scope === scope);
  if (key === undefined) throw new Error(`nothing to grant: ${JSON.stringify(granted)}`);
  return (await tool.keys(call)).some((each) => canonicalJson(each.match) === canonicalJson(key.match));
}

describe.runIf(CAGE.ok)("EL-14: a standing permission for this very command", () => {
  test.each<[object, object, boolean]>([
    [argv("git", "add", "a.txt"), argv("git", "add", "a.txt"), true],
    [argv("git", "add", "a.txt"), { command: "git add a.txt" }, true],
    [argv("git", "add", "a.txt"), { command: "/usr/bin/git add a.txt" }, true],
    [argv("git", "add", "a.txt"), argv("git", "add", "b.txt"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "a.txt", "b.txt"), false],
    [argv("git", "add", "a.txt"), argv("git", "add"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "a.txt "), false],
    [argv("git", "add", "a b"), argv("git", "add", "a", "b"), false],
    [argv("git", "add", "a.txt"), { argv: ["git", "add", "a.txt"], cwd: "sub" }, false],
    [argv("git", "add", "a.txt"), { argv: ["git", "add", "a.txt"], network: true }, false],
    [argv("git", "add", "a.txt"), argv("touch", "add", "a.txt"), false],
    [argv("git", "add", "a.txt"), argv("./git", "add", "a.txt"), false],
    [argv("git", "add", "a.txt"), { command: "git add a.txt; id" }, false],
    [argv("git", "add", "a.txt"), { command: "git add a.txt && id" }, false],
    [argv("touch", "$x"), argv("touch", "$x"), true],
  ])("%j, and then %j: %j", async (granted, call, wanted) => {
    expect(await covers(granted, "call", call)).toBe(wanted);
  });
});

describe.runIf(CAGE.ok)("EL-14: a standing permission for commands like it", () => {
  test.each<[object, object, boolean]>([
    [argv("git", "add", "a.txt"), argv("git", "add", "b.txt"), true],
    [argv("git", "add", "a.txt"), argv("git", "add", "b.txt", "c.txt"), true],
    [argv("git", "add", "a.txt"), { argv: ["git", "add", "b.txt"], cwd: "sub" }, true],
    [argv("git", "add", "a.txt"), argv("git", "add"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "-A"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "--", "a.txt"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "a.txt", "-f"), false],
    [argv("git", "add", "a.txt"), argv("git", "rm", "a.txt"), false],
    [argv("git", "add", "a.txt"), argv("git", "-c", "x=y", "add", "a.txt"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "$(id)"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "*"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", "a\nb"), false],
    [argv("git", "add", "a.txt"), argv("git", "add", ""), false],
    // The word after an option may be its value.
    [argv("git", "commit", "-m", "one", "a.txt"), argv("git", "commit", "-m", "two", "a.txt"), false],
    [argv("git", "commit", "-m", "one", "a.txt"), argv("git", "commit", "-m", "one", "b.txt"), true],
    [argv("cp", "A.txt", "B.txt"), argv("cp", "C.txt", "D.txt"), true],
    [argv("cp", "A.txt", "B.txt"), argv("cp", "-r", "C", "D"), false],
    [argv("cp", "A.txt", "B.txt"), argv("mv", "A.txt", "B.txt"), false],
    [argv("cp", "A.txt", "B.txt"), { argv: ["cp", "A.txt", "B.txt"], network: true }, false],
  ])("%j, and then %j: %j", async (granted, call, wanted) => {
    expect(await covers(granted, "similar", call)).toBe(wanted);
  });

  test("is told in words that name the program, what is fixed, what is free, and the folder", async () => {
    using scene = makeScene();
    const keys = await scene.tool().keys(argv("git", "commit", "-m", "a b", "x.txt", "y.txt"));
    expect(keys.map(({ words }) => words)).toEqual([
      `the command git commit -m "a b" x.txt y.txt, run in ${scene.root}`,
      `the command git commit -m "a b" …, where … is one or more words that are not options, run in ${scene.root} or a folder below it`,
    ]);
  });
});

describe("nothing to grant", () => {
  test.each([
    { command: "ls | cat" },
    argv("bash", "-c", "ls"),
    argv("sh", "x.sh"),
    argv("env", "ls"),
    argv("timeout", "5", "touch", "x"),
    argv("sudo", "touch", "x"),
    argv("python3", "x.py"),
    argv("node", "x.js"),
    argv("npm", "test"),
    argv("make"),
    argv("find", ".", "-name", "x"),
    argv("tar", "xf", "a.tar"),
    argv("sed", "-i", "s/a/b/", "f"),
    argv("git", "-c", "a=b", "add", "x"),
    argv("git", "-C", "sub", "add", "x"),
    argv("git", "bisect", "run", "id"),
    argv("git", "submodule", "foreach", "id"),
    argv("git", "rebase", "-x", "id"),
    argv("git", "push"),
    argv("git", "config", "alias.x", "!id"),
    argv("git", "diff", "--ext-diff", "x"),
    argv("git", "log", "--textconv"),
    argv("rg", "--pre=id", "x"),
    argv("sort", "--comp=sh", "x"),
    argv("ldd", "./x"),
    argv("systemd-inhibit", "id"),
    argv("x86_64-linux-gnu-gcc", "-fplugin=x", "a.c"),
    argv("./script"),
    argv("rm", "-rf", "/"),
    argv("git", "add", "\0"),
    argv("no-such-program-here"),
    { argv: ["touch", "x"], network: true },
    { argv: ["touch", "x"], env: { PATH: "x" } },
  ])("%j can only ever be allowed once", async (input) => {
    using scene = makeScene();
    expect(await scene.tool().keys(input)).toEqual([]);
  });

  test("where there is no cage, and where the agents' own files lie in the root", async () => {
    using scene = makeScene();
    expect(await scene.tool({ cage: async () => NO_CAGE }).keys(argv("touch", "x"))).toEqual([]);
    expect(await scene.tool({ holdsAgents: true }).keys(argv("touch", "x"))).toEqual([]);
  });
});
