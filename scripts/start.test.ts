import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** What a start by the shell hands on to Node, whose place a stub takes. */
function handedOn(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv): string {
  const stub = mkdtempSync(join(tmpdir(), "elwood-start-"));
  onTestFinished(() => rmSync(stub, { recursive: true }));
  const settings = "$MALLOC_ARENA_MAX $MALLOC_TRIM_THRESHOLD_ $MALLOC_MMAP_THRESHOLD_";
  const script = `#!/bin/sh\necho "${settings} \${1##*/} $2"\n`;
  writeFileSync(join(stub, "node"), script, { mode: 0o755 });
  const [file, ...args] = command;
  const path = [stub, process.env["PATH"]].join(delimiter);
  return execFileSync(file, args, { cwd: root, env: { ...env, PATH: path }, encoding: "utf8" }).trim();
}

test.each([
  ["npm start", ["sh", "-c", scripts["start"]!]],
  ["bin/assistant", [join(root, "bin/assistant")]],
] as [string, [string, ...string[]]][])(
  "%s has what threads have freed given back, as every service does, unless told otherwise",
  (_name, command) => {
    expect(handedOn(command, {})).toBe("2 262144 32768 elwood.mjs up");
    const told = { MALLOC_ARENA_MAX: "8", MALLOC_TRIM_THRESHOLD_: "1000", MALLOC_MMAP_THRESHOLD_: "2000" };
    expect(handedOn(command, told)).toBe("8 1000 2000 elwood.mjs up");
  },
);
