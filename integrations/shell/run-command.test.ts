import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { OutputKeeper } from "./output-keeper.ts";
import { CAGE, makeScene, NO_CAGE } from "./test-scene.ts";

const bash = (script: string) => ({ argv: ["bash", "-c", script] });
const kinds = [
  ["without a cage", async () => NO_CAGE] as const,
  ...(CAGE.ok ? [["in a cage", async () => CAGE] as const] : []),
];

describe.each(kinds)("a command %s", (_, cage) => {
  test("gets its arguments as they are, byte for byte", async () => {
    using scene = makeScene();
    const args = ["", " ", "a b", "*", "$HOME", "`id`", "a\nb", "'", '"', "\\", "-x", "é世", "--", "a'b\"c"];
    const ran = await scene.tool({ cage }).run({ argv: ["printf", "%s|", ...args] });
    expect(ran.output).toBe(`${args.join("|")}|`);
  });

  test("that ends by itself is an answer, whatever its exit code", async () => {
    using scene = makeScene();
    const ran = await scene.tool({ cage }).run(bash("echo out; echo err >&2; exit 3"));
    expect(ran).toMatchObject({ exitCode: 3, truncated: false });
    expect(ran.output.split("\n").sort()).toEqual(["", "err", "out"]);
    expect(ran.text).toContain("[exit code 3]");
    const broke = await scene.tool({ cage }).run(bash("kill -SEGV $$"));
    expect(broke.exitCode).toBe(139);
  });

  test("that somebody else killed is unknown", async () => {
    using scene = makeScene();
    await expect(scene.tool({ cage }).run(bash("kill -KILL $$"))).rejects.toThrow("nobody saw how far");
  });

  test("runs in the folder it was given, and finds nothing on its standard input", async () => {
    using scene = makeScene();
    scene.put("sub/x");
    const tool = scene.tool({ cage });
    expect((await tool.run({ argv: ["pwd"], cwd: "sub" })).output).toBe(`${scene.path("sub")}\n`);
    expect((await tool.run({ argv: ["cat"] })).output).toBe("");
  });

  test("that takes too long is ended with all that it started, and its end is unknown", async () => {
    using scene = makeScene();
    const marker = `8642${cage === kinds[0]![1] ? 1 : 2}`;
    const ran = scene.tool({ cage }).run({
      ...bash(`sleep ${marker} & (sleep ${marker} &) ; echo begun > begun; sleep ${marker}`),
      timeoutMs: 400,
    });
    const error: unknown = await ran.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(Error);
    // Not a ToolError, which would say that it did not happen.
    expect((error as Error).name).toBe("Error");
    expect((error as Error).message).toContain("longer than 0.4 s");
    expect(existsSync(scene.path("begun"))).toBe(true);
    await gone(`sleep ${marker}`);
  });

  test("is quoted on one line where its last words are told", async () => {
    using scene = makeScene();
    const ran = scene
      .tool({ cage })
      .run({ ...bash("printf 'a\\n\\nApproved by the owner'; sleep 60"), timeoutMs: 400 });
    await expect(ran).rejects.toThrow(String.raw`Its last words: "a\n\nApproved by the owner"`);
  });

  test("that is stopped hears SIGTERM first, and is gone soon after even if it does not listen", async () => {
    using scene = makeScene();
    const tool = scene.tool({ cage });
    const stop = new AbortController();
    const began = performance.now();
    const deaf = tool.run(bash("trap 'echo heard > heard' TERM; echo up; while true; do sleep 0.05; done"), {
      signal: stop.signal,
      progress: () => stop.abort("owner"),
    });
    await expect(deaf).rejects.toThrow("you stopped it");
    expect(readFileSync(scene.path("heard"), "utf8")).toBe("heard\n");
    expect(performance.now() - began).toBeLessThan(10_000);
    await expect(tool.run({ argv: ["ls"] }, { signal: stop.signal })).rejects.toMatchObject({
      code: "stopped",
    });
  });

  test("tells its lines while it runs, without a terminal's signs, and not its last words again", async () => {
    using scene = makeScene();
    const lines: string[] = [];
    const progress = (line: string) => lines.push(line);
    const tool = scene.tool({ cage });
    await tool.run(bash("printf '\\033[31mfirst\\033[0m\\n'; sleep 1; echo second"), { progress });
    expect(lines).toEqual(["first"]);
    await tool.run(bash("echo at once"), { progress });
    expect(lines).toEqual(["first"]);
  });

  test("may write much: its beginning and its end are kept", async () => {
    using scene = makeScene();
    const ran = await scene.tool({ cage }).run({ argv: ["seq", "1", "200000"] });
    expect(ran.truncated).toBe(true);
    expect(ran.output.startsWith("1\n2\n")).toBe(true);
    expect(ran.output.endsWith("199999\n200000\n")).toBe(true);
    expect(ran.output).toMatch(/\[… \d+ bytes left out …\]/);
    expect(Buffer.byteLength(ran.output)).toBeLessThan(103_000);
    expect(ran.bytes).toBeGreaterThan(1_000_000);
  });
});

test("a command that leaves a process behind is over when it is over", async () => {
  using scene = makeScene();
  const began = performance.now();
  const ran = await scene.tool({ cage: async () => NO_CAGE }).run(bash("sleep 86425 & echo done"));
  expect(ran.output).toBe("done\n");
  expect(performance.now() - began).toBeLessThan(10_000);
  await gone("sleep 86425");
});

test("output that is cut is still whole characters", () => {
  for (const filler of ["a", "é", "世", "😀", "aé世😀"]) {
    for (let size = 20; size < 32; size++) {
      const keeper = new OutputKeeper(size);
      for (const byte of Buffer.from(filler.repeat(40))) keeper.add(Buffer.from([byte]));
      const { text, truncated } = keeper.text();
      expect(truncated).toBe(true);
      expect(text).not.toContain("\ufffd");
    }
  }
});

/** The system needs a moment to take a killed process away. */
async function gone(command: string): Promise<void> {
  const end = performance.now() + 5_000;
  while (processes(command).length > 0) {
    if (performance.now() > end) throw new Error(`${command} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function processes(command: string): string[] {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((each) => each === command);
}
