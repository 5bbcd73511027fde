import { chmodSync, mkdirSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";

function newHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

test("EL-1: up prints where it is, what answers and a one-time link, and ends cleanly on Ctrl-C", async () => {
  const gateway = await startGatewayProcess({ env: { TERM: "dumb" } });
  const { stdout, stderr } = gateway.output();
  for (const words of [
    gateway.home,
    `only this machine can connect (${new URL(gateway.url).host})`,
    "demo model: scripted answers",
    "no ANTHROPIC_API_KEY",
    "one-time link, 10 min",
  ])
    expect(stderr).toContain(words);
  for (const line of stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("level");
  expect(await gateway.stop()).toBe(0);
});

test("a busy port is named with who has it and what to do", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await elwood(["up", "--no-open", "--port", String(port)], { home: newHome() });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(
      `Port ${port} is used by pid ${process.pid} \\(.*\\)\\. Elwood did not start\\. .*--port ${port + 1}`,
    ),
  );
});

test("a second gateway on the same state directory says where the first is, and does not disturb it", async () => {
  await using first = await startGatewayProcess();
  const { code, stderr } = await elwood(["up", "--no-open", "--port", "0"], { home: first.home });
  expect(code).toBe(1);
  expect(stderr).toContain(`Elwood already runs on ${first.home} (pid ${first.pid}, ${first.url})`);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
});

test("beyond this machine it listens only with a token of the owner's, and says what that means", async () => {
  const home = newHome();
  const open = ["up", "--no-open", "--port", "0", "--host", "0.0.0.0"];
  const { code, stderr } = await elwood(open, { home });
  expect(code).toBe(2);
  expect(stderr).toMatch(/every machine.*Elwood did not start.*ELWOOD_TOKEN/);
  const env = { ELWOOD_TOKEN: "a-token-of-the-owner-0123456789" };
  await using gateway = await startGatewayProcess({ env, args: ["--host", "0.0.0.0"] });
  expect(gateway.output().stderr).toContain("every machine that reaches 0.0.0.0");
  expect(gateway.output().stdout + gateway.output().stderr).not.toContain(env.ELWOOD_TOKEN);
});

test("flags go before the environment: port, model, log level and state directory", async () => {
  const home = newHome();
  const env = { ELWOOD_PORT: "1", ELWOOD_MODEL: "nosuch/model", ELWOOD_LOG_LEVEL: "error" };
  const args = ["--model", "demo/scripted", "--log-level", "debug", "--home", home];
  await using gateway = await startGatewayProcess({
    home: newHome(),
    env: { ...env, ELWOOD_TOKEN: "t".repeat(20) },
    args,
  });
  expect(gateway.output().stderr).toContain("demo model");
  expect(gateway.output().stderr).toContain(home);
  expect(gateway.output().stdout).toContain('"msg":"ready"');
});

// Root may write everywhere, so that there is nothing to see.
test.skipIf(process.getuid?.() === 0)("a state directory that cannot be written is named", async () => {
  const closed = join(newHome(), "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  const { code, stderr } = await elwood(["up", "--no-open"], { home: join(closed, "state") });
  expect(code).toBe(1);
  expect(stderr).toContain(closed);
});

test("a state directory that is a file is named, and what to do", async () => {
  const home = join(newHome(), "file");
  await import("node:fs").then((fs) => fs.writeFileSync(home, ""));
  const { code, stderr } = await elwood(["up", "--no-open"], { home });
  expect(code).toBe(1);
  expect(stderr).toMatch(/ELWOOD_HOME/);
});
