import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";

function newHome(): string {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  return home.path;
}

test("EL-1: up prints where it is, what answers and a one-time link, and ends cleanly when told to", async () => {
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
