import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { dirname, join } from "node:path";
import { testAuthService } from "@elwood/gateway/test/auth/test-credentials";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, onTestFinished, test } from "vitest";
import { cardOf } from "@elwood/core/card/card";
import { fail } from "@elwood/core/base/failure";
import type { MethodResult } from "@elwood/core/protocol/results";
import { writeGatewayInfo } from "@elwood/gateway/state/discovery";
import { mkdirSync, writeFileSync } from "node:fs";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { germanWords } from "./words/say.ts";
import { startScreen, unnamedServers, up } from "./up-command.ts";

const UP = pathToFileURL(join(import.meta.dirname, "up-command.ts")).href;

/** `up` over a gateway whose tool does not come to an end: something keeps the process alive. */
function program(rests: boolean): string {
  return `
    import { up } from ${JSON.stringify(UP)};
    const working = setInterval(() => {}, 1_000);
    const gateway = {
      url: "http://127.0.0.1:1",
      recovered: { committed: 0, resumed: 0 },
      model: async () => ({ ok: false, error: { message: "none" } }),
      loginLink: () => "http://127.0.0.1:1/#t=x",
      acts: () => ({ risks: ["read", "write", "read"], serversAsleep: 2, policyMode: "balanced" }),
      idleRules: () => [],
      close: async () => {
        process.stdout.write("closed\\n");
        if (${rests}) clearInterval(working);
        return ${rests};
      },
    };
    const loaded = {
      config: { gateway: { host: "127.0.0.1", port: 1 } },
      paths: { home: "/nowhere", chosenModel: "/nowhere/chosen-model" },
      secrets: new Map(),
      origins: new Map(),
      notices: [],
    };
    const io = { stdout: process.stdout, stderr: process.stderr, env: {} };
    process.exitCode = await up(io, loaded, { open: false, version: "test" }, async () => {
      setTimeout(() => process.stdout.write("up\\n"), 0);
      return gateway;
    });
  `;
}

test.each([true, false])(
  "up ends when it is told to, also where a tool does not (%s: all rests)",
  async (rests) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program(rests)], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let out = "";
    child.stdout.on("data", (data: Buffer) => (out += data.toString("utf8")));
    let err = "";
    child.stderr.on("data", (data: Buffer) => (err += data.toString("utf8")));
    const ended = once(child, "exit") as Promise<[number | null, string | null]>;
    await expect.poll(() => out + err).toContain("http://127.0.0.1:1/#t=x");
    // What it can do, and what it asks about, before anybody says a word to it.
    expect(out + err).toContain(
      "✓ 3 tools (2 read, 1 write, 0 destructive) and those of 2 configured MCP servers   ✓ policy: asks unless you told it to",
    );
    child.kill("SIGTERM");
    expect([await ended, out]).toEqual([[0, null], expect.stringContaining("closed")]);
  },
);

test("a server that is connected and does not answer is named, with the line that changes that", async () => {
  const { folder, authService } = await testAuthService(new ManualClock({ autoAdvance: true }));
  const loaded = await folder.load();
  expect(await unnamedServers({}, loaded)).toEqual([]);
  await authService.set({
    provider: "home-llm",
    secret: "any-word",
    baseUrl: "http://127.0.0.1:8001/v1",
    model: "hand",
  });
  const line = `with this line in ${join(loaded.paths.home, "config.yaml")}: model: home-llm/hand`;
  expect(await unnamedServers({}, loaded)).toEqual([
    `home-llm is connected, but none of its models is chosen, so the demo answers. Choose one on the page under Models & keys, or ${line}`,
  ]);
  folder.write("home/chosen-model", "demo/scripted\n");
  expect(await unnamedServers({}, loaded)).toEqual([]);
});

test("a start that is refused because a command waits for the owner names that command, and what to do", async () => {
  const { folder } = await testAuthService(new ManualClock({ autoAdvance: true }));
  const loaded = await folder.load();
  mkdirSync(dirname(loaded.paths.ownerToken), { recursive: true });
  const approvals: MethodResult<"approvals.list">["approvals"] = [];
  const { url } = await testGateway({ "approvals.list": () => ({ approvals }) });
  writeGatewayInfo(loaded.paths.gatewayInfo, { pid: 5757, url, startedAt: 1, version: "0", mode: "oneshot" });
  writeFileSync(loaded.paths.ownerToken, "test\n", { mode: 0o600 });
  const start = async () => fail("CONFLICT", "It runs already.");
  const starting = () => up(testIo(), loaded, { open: false, version: "test" }, start);
  await expect(starting()).rejects.toThrow("It runs already.");
  const question: Omit<(typeof approvals)[number], "card"> = {
    approvalId: "apr_1",
    kind: "question",
    callId: "call_1",
    runId: "run_1",
    sessionKey: "ses_1",
    toolName: "owner.question.ask",
    summary: "Which day?",
    details: {},
    digest: "abc",
    risk: "read",
    rule: "",
    reason: "",
    sources: [],
    decisions: [],
    showable: true,
    createdAt: 0,
    expiresAt: 1,
    decided: { status: "pending" },
  };
  approvals.push({ ...question, card: cardOf(question) });
  await expect(starting()).rejects.toThrow(
    `An elwood command in another terminal (pid 5757) is still waiting for your decision and keeps Elwood running on ${loaded.paths.home}. Nothing was started. Decide with elwood approvals list, or stop that command, then try again.`,
  );
});

test("what a start shows follows the language of the terminal", async () => {
  const screen = startScreen({
    version: "1.2.3",
    home: "/srv/elwood",
    host: "127.0.0.1",
    port: 18789,
    loopback: true,
    model: "demo/scripted",
    demo: true,
    modelSource: "",
    risks: ["read", "write"],
    serversAsleep: 1,
    policyMode: "balanced",
    resumed: 2,
    found: [],
    notices: [],
    link: "http://127.0.0.1:18789/#t=x",
    self: "elwood",
    color: false,
    io: { ...testIo(), spoken: await germanWords() },
  });
  expect(screen).toBe(`
  elwood 1.2.3 · Daten /srv/elwood · nur diese Maschine kann sich verbinden (127.0.0.1:18789)
  ✓ Datenbank bereit   ✓ 2 Werkzeuge (1 liest, 1 ändert, 0 zerstört) und die eines eingerichteten MCP-Servers   ✓ Regel: fragt, wenn du es nicht gesagt hast
  ✓ Demo-Modell: vorbereitete Antworten, kein Schlüssel nötig, nichts verlässt diese Maschine
  ✓ 2 unfertige Läufe fortgesetzt
  ▸ Öffne http://127.0.0.1:18789/#t=x   (Link für einmal, 10 min)
    Strg+C hält es an · elwood "hallo" spricht damit im Terminal · elwood open gibt einen neuen Link

`);
});
