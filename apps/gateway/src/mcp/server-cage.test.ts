import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { giveFilter } from "@elwood/platform/bubblewrap";
import { expect, onTestFinished, test } from "vitest";
import { commandCage } from "../built-in-tools.ts";
import type { StdioWay } from "./server-settings.ts";
import { serverProgram } from "./start-server.ts";

const CAGE = await commandCage();

/** What a hostile server finds, by what it prints. */
async function tries(
  script: string,
  hidden: readonly string[],
  way: Partial<StdioWay> = {},
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "elwood-caged-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const given: StdioWay = {
    kind: "stdio",
    command: "/bin/sh",
    args: ["-c", script],
    env: {},
    cwd: undefined,
    folders: [],
    network: false,
    ...way,
  };
  const program = await serverProgram(given, { home, hidden, cage: async () => CAGE });
  const { file, args, env, cwd, filter } = program;
  const pipe = filter === undefined ? ("ignore" as const) : ("pipe" as const);
  const child = spawn(file, args, { env, cwd, stdio: ["ignore", "pipe", "pipe", "ignore", pipe] });
  if (filter !== undefined) giveFilter(child, filter);
  const [out, err] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return out + err;
}

test.runIf(CAGE.ok)(
  "a caged server throws no switch of the machine, and writes in its own folder alone",
  async () => {
    const printed = await tries(
      `for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger /etc/passwd; do (exec 3>>$f) 2>/dev/null && echo "OPENED $f"; done
     for p in / /usr /etc /dev /proc /root; do touch $p/x 2>/dev/null && echo "WROTE $p"; done
     echo a > "$HOME/a" && echo b > /tmp/b && cat "$HOME/a" /tmp/b`,
      [],
    );
    expect(printed).not.toMatch(/OPENED|WROTE/);
    expect(printed).toContain("a\nb\n");
  },
);

test.runIf(CAGE.ok)(
  "a caged server sees nothing of Elwood's, also where a folder that it was given holds it",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "elwood-given-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const state = join(folder, "state");
    mkdirSync(state);
    writeFileSync(join(state, "owner-token"), "state-secret");
    writeFileSync(join(folder, "notes"), "of the owner");
    const printed = await tries(`cat ${folder}/notes ${state}/owner-token; ls -A ${state}`, [state], {
      folders: [{ path: folder, write: true }],
    });
    expect(printed).toContain("of the owner");
    expect(printed).not.toContain("state-secret");
  },
);
