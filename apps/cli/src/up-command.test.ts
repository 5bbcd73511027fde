import { spawn } from "node:child_process";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { testAuthService } from "@elwood/gateway/test/auth/test-credentials";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, onTestFinished, test } from "vitest";
import { unnamedServers } from "./up-command.ts";

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
      acts: () => ({ risks: ["read", "write", "read"], policyMode: "balanced" }),
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
    await expect.poll(() => out + err, { timeout: 15_000 }).toContain("http://127.0.0.1:1/#t=x");
    // What it can do, and what it asks about, before anybody says a word to it.
    expect(out + err).toContain(
      "✓ 3 tools (2 read, 1 write, 0 destructive)   ✓ policy: asks about changes you did not ask for",
    );
    child.kill("SIGTERM");
    expect([await ended, out]).toEqual([[0, null], expect.stringContaining("closed")]);
  },
);

test("a server that is connected and does not answer is named, with the line that changes that", async () => {
  const { folder, authService } = await testAuthService(new ManualClock({ autoAdvance: true }));
  const loaded = await folder.load();
  expect(await unnamedServers(loaded)).toEqual([]);
  await authService.set({
    provider: "home-llm",
    secret: "any-word",
    baseUrl: "http://127.0.0.1:8001/v1",
    model: "hand",
  });
  const line = `with this line in ${join(loaded.paths.home, "config.yaml")}: model: home-llm/hand`;
  expect(await unnamedServers(loaded)).toEqual([
    `home-llm is connected, but none of its models is chosen, so the demo answers. Choose one on the page under Connections, or ${line}`,
  ]);
  folder.write("home/chosen-model", "demo/scripted\n");
  expect(await unnamedServers(loaded)).toEqual([]);
});
