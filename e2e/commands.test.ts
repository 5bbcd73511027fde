import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  actScene,
  asked,
  fileIn,
  finalOf,
  pendingOf,
  receiptsIn,
  runCalls,
  trail,
  type Scene,
} from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";
import type { PlannedCall } from "./planned-model.ts";

interface Vector {
  readonly id: string;
  readonly input: unknown;
  readonly expect: string;
}

const VECTORS = JSON.parse(
  readFileSync(join(import.meta.dirname, "../integrations/shell/test-vectors.json"), "utf8"),
) as Vector[];
const CAGED =
  spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "--unshare-pid", "true"]).status === 0;

const RUN = (input: object): PlannedCall => ({ tool: "shell.command.run", input });
const BASH = (script: string) => RUN({ argv: ["bash", "-c", script] });

/** The mode's own question, which a standing permission can lift. */
const THE_MODE: unknown = expect.stringMatching(/^(?:mode|authority)\./);

let scene: Scene;
beforeAll(async () => {
  scene = await actScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

const explain = (input: unknown, toolId = "shell.command.run") =>
  scene.owner.result("policy.explain", { toolId, input }) as Promise<{
    decision: string;
    rule: string;
    reason: string;
  }>;

/** What stands on the card beside the input. */
const shownIn = ({ preview }: { readonly preview?: unknown }) => (preview as { after?: string }).after;

async function allowed(call: PlannedCall, how: Record<string, unknown> = {}) {
  const run = await runCalls(scene, [call]);
  const card = await asked(scene.owner, run.runId);
  await scene.owner.result("exec.approve", { approvalId: card.approvalId, ...how });
  await finalOf(scene.owner, run.runId);
  return { ...run, card };
}

describe.runIf(CAGED)("EL-14: policy.explain of a command over the socket", () => {
  test.each(VECTORS)("$id: $expect", async ({ input, expect: wanted }) => {
    expect((await explain(input)).decision).toBe(wanted);
  });

  test("names the rule, under the older names of the tool too", async () => {
    expect(await explain({ argv: ["ls", "-l"] }, "bash")).toMatchObject({
      decision: "allow",
      rule: "shell.safe",
    });
    expect(await explain({ command: "ls | wc" }, "run_command")).toMatchObject({ rule: "ask.shell-syntax" });
    expect(await explain({ argv: ["touch", "x"] })).toMatchObject({ decision: "ask", layer: 5 });
    expect(await explain({ argv: ["touch", "x"], cwd: "/etc" })).toMatchObject({
      rule: "hard.outside-scope",
    });
  });
});

describe.runIf(CAGED)("JV-6 EL-9: a command", () => {
  test("that only looks runs unasked, and its exit code and output come back", async () => {
    fileIn(scene.home, "notes.txt").put("one\ntwo\n");
    const { runId, told } = await runCalls(scene, [
      RUN({ command: "wc -l notes.txt" }),
      RUN({ argv: ["cat", "missing.txt"] }),
    ]);
    const final = await finalOf(scene.owner, runId);
    expect(trail(scene.home, runId).filter((each) => each === "asked")).toEqual([]);
    expect(final.ruleOfTwo).toMatchObject({ sideEffect: false, unasked: 0 });
    expect(told().join("\n")).toContain("2 notes.txt");
    expect(told().join("\n")).toMatch(/No such file[^]*\[exit code 1\]/);
    expect(final.evidence).toBe("✓ Ran wc -l notes.txt · ↯ Ran cat missing.txt (ended with code 1)");
    const codes = (final.activity as readonly ActivityItem[]).map(({ exitCode }) => exitCode);
    expect(codes).toEqual([1, undefined]);
  });

  test("that changes something asks, and the card holds all that would run", async () => {
    const { card } = await allowed(RUN({ argv: ["touch", "made by a command.txt"], timeoutMs: 5_000 }));
    expect(card).toMatchObject({
      toolName: "shell.command.run",
      rule: THE_MODE as string,
      risk: "write",
      details: { argv: ["touch", "made by a command.txt"], timeoutMs: 5_000 },
      decisions: ["once", "window", "always"],
    });
    expect(card.summary).toBe(
      `Run touch "made by a command.txt" in ${join(scene.home, "files")}, caged, without network.`,
    );
    for (const words of [
      'argument 1   "made by a command.txt"',
      `folder       ${join(scene.home, "files")}`,
      "environment: PATH HOME",
      "has no network",
    ]) {
      expect(shownIn(card)).toContain(words);
    }
    expect(card.scopes?.map(({ scope }) => scope)).toEqual(["call", "similar"]);
    expect(existsSync(join(scene.home, "files", "made by a command.txt"))).toBe(true);
  });

  test("with a shell's syntax is shown as the bash that it is, and can only be allowed once", async () => {
    const { card, told } = await allowed(RUN({ command: "echo a b | tr a-z A-Z > out.txt; cat out.txt" }));
    expect(card).toMatchObject({ rule: "ask.shell-syntax", decisions: ["once"] });
    expect(shownIn(card)).toContain('argument 0   "bash"\nargument 1   "-c"\nargument 2   "echo a b | tr');
    expect(told()[0]).toContain("A B");
    const again = await runCalls(scene, [RUN({ command: "true; true" })]);
    const { approvalId } = await asked(scene.owner, again.runId);
    const { error } = await scene.owner.ask("exec.approve", { approvalId, decision: "always" });
    expect(error?.message).toContain("only be allowed once");
    await scene.owner.result("exec.deny", { approvalId });
    await finalOf(scene.owner, again.runId);
  });

  test("that was allowed for longer is not asked about again, and one that is only near it is", async () => {
    const first = await runCalls(scene, [RUN({ argv: ["touch", "A.txt"] })]);
    const { approvalId } = await asked(scene.owner, first.runId);
    await scene.owner.result("exec.approve", {
      approvalId,
      decision: "window",
      window: { minutes: 5, scope: "similar" },
    });
    await finalOf(scene.owner, first.runId);
    const { sessionKey } = first;
    const like = await runCalls(scene, [RUN({ argv: ["touch", "B.txt", "C.txt"] })], { sessionKey });
    await finalOf(scene.owner, like.runId);
    expect(trail(scene.home, like.runId)).toContain("grant.used");
    expect(existsSync(join(scene.home, "files", "C.txt"))).toBe(true);
    const near = await runCalls(scene, [RUN({ argv: ["touch", "-d", "now", "B.txt"] })], { sessionKey });
    await scene.owner.result("exec.deny", { approvalId: (await asked(scene.owner, near.runId)).approvalId });
    await finalOf(scene.owner, near.runId);
  });

  test("whose script was changed after it was allowed is asked about anew", async () => {
    fileIn(scene.home, "x.sh").put("echo first\n");
    const run = await runCalls(scene, [RUN({ argv: ["bash", "x.sh"] })]);
    const { approvalId } = await asked(scene.owner, run.runId);
    fileIn(scene.home, "x.sh").put("echo second\n");
    await scene.owner.result("exec.approve", { approvalId });
    const anew = await asked(scene.owner, run.runId, 1);
    expect(anew.approvalId).not.toBe(approvalId);
    await scene.owner.result("exec.deny", { approvalId: anew.approvalId });
    await finalOf(scene.owner, run.runId);
    expect(trail(scene.home, run.runId)).not.toContain("started");
  });

  test("tells what it writes while it runs, and not its last line, which its output has", async () => {
    const { runId } = await allowed(BASH("echo first step; sleep 1; echo second step"));
    const lines = scene.owner.frames
      .filter((f) => f.event === "tool.progress" && f.data?.["runId"] === runId)
      .map((f) => f.data?.["message"]);
    expect(lines).toEqual(["first step"]);
  });

  test("that the owner stops is ended, and its end is unknown", async () => {
    const run = await runCalls(scene, [BASH("echo up > up; sleep 86401")]);
    const { approvalId } = await asked(scene.owner, run.runId);
    await scene.owner.result("exec.approve", { approvalId });
    await until(() => existsSync(join(scene.home, "files", "up")));
    await scene.owner.result("chat.abort", { runId: run.runId });
    await until(() => trail(scene.home, run.runId).includes("unknown"));
    await until(() => sleeping("86401") === 0);
  });
});

test.runIf(CAGED)("a command asks although the owner said every word of it", async () => {
  const sessionKey = await openSession(scene.owner);
  const words = scene.model.plan([[RUN({ argv: ["touch", "said.txt"] })]]);
  const runId = await send(scene.owner, sessionKey, `Run touch said.txt. ${words}`);
  await scene.owner.result("exec.deny", { approvalId: (await asked(scene.owner, runId)).approvalId });
  await finalOf(scene.owner, runId);
});

describe.runIf(CAGED)("a hostile command that the owner allowed", () => {
  test("reads no token, no state, no environment, and reaches neither the network nor the gateway", async () => {
    const port = new URL(scene.gateway.url).port;
    const { told } = await allowed(
      BASH(
        `S="$(dirname "$PWD")"; echo "state at $S"; ls -A "$S"; cat "$S"/keys/* "$S"/*.db "$S"/config.yaml "$S"/gateway.json; find / -name 'owner-token' -o -name elwood.db 2>/dev/null | grep -v ^/proc;
         cat /proc/*/environ | tr '\\0' '\\n'; ls /proc | grep -c '^[0-9]';
         (exec 3<>/dev/tcp/127.0.0.1/${port}) && echo GATEWAY; (exec 3<>/dev/tcp/1.1.1.1/443) && echo NETWORK; echo done`,
      ),
    );
    const said = told()[0]!;
    expect(said).toContain(`state at ${scene.home}`);
    expect(said).toContain("done");
    expect(said).not.toMatch(
      /GATEWAY\n|NETWORK\n|SQLite format|ANTHROPIC|ELWOOD_|owner-token\n|elwood\.db\n/,
    );
    expect(said).not.toContain(scene.gateway.token);
  });

  test("dies with a gateway that is killed; the call is unknown, and the owner is asked", async () => {
    await using own = await actScene();
    const run = await runCalls(own, [BASH("echo up > up; sleep 86402 & sleep 86402")]);
    await own.owner.result("exec.approve", { approvalId: (await asked(own.owner, run.runId)).approvalId });
    await until(() => existsSync(join(own.home, "files", "up")));
    await own.kill();
    await until(() => sleeping("86402") === 0);
    await own.restart();
    await until(async () => (await pendingOf(own.owner)).some(({ kind }) => kind === "settle"));
    expect(receiptsIn(own.home, { runId: run.runId, type: "tool.call.started" })).toHaveLength(1);
  });
});

test("in the mode strict every command asks", async () => {
  await using strict = await actScene({ config: "policy:\n  mode: strict\n" });
  const found = await strict.owner.result("policy.explain", { toolId: "bash", input: { argv: ["ls"] } });
  expect(found).toMatchObject({ decision: "ask" });
});

test("lists of the owner's are taken, and what is left out of them is told", async () => {
  const config =
    "permissions:\n  safe_commands: [ls, bash]\n  dangerous_patterns: ['\\brm\\b']\nshell:\n  dangerous: deny\n";
  await using own = await actScene({ config });
  const decide = async (input: object) =>
    (await own.owner.result("policy.explain", { toolId: "bash", input })) as {
      decision: string;
      rule: string;
    };
  expect(await decide({ argv: ["rm", "x"] })).toMatchObject({ decision: "deny", rule: "hard.dangerous" });
  expect((await decide({ argv: ["date"] })).decision).toBe("ask");
  const status = JSON.stringify(await own.owner.result("gateway.status"));
  expect(status).toContain("is left out: bash is a shell");
});

function sleeping(seconds: string): number {
  const { stdout } = spawnSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((each) => each === `sleep ${seconds}`).length;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
