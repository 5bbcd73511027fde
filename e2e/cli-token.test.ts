import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TOKEN = "a-token-of-the-owners-own-1";

describe("a gateway with a token that this shell does not have", () => {
  const home = temporaryHome();
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({ home: home.path, env: { ELWOOD_TOKEN: TOKEN } });
  });
  afterAll(async () => {
    await gateway.kill();
    home.remove();
  });

  const COMMANDS = [
    ["status"],
    ["open", "--no-browser"],
    ["hello"],
    ["approvals"],
    ["sessions", "list"],
    ["grants"],
    ["undo", "call_1"],
    ["stop", "--all", "--yes"],
    ["memory", "list"],
    ["tools", "list"],
    ["token", "list"],
  ];

  test.each(COMMANDS.map((args) => [args]))("%j says so in the same words", async (args) => {
    expect(await elwood(args, { home: home.path })).toEqual({
      code: 1,
      stdout: "",
      stderr: `Elwood runs on ${home.path}, but this shell has no valid token: set ELWOOD_TOKEN, or ELWOOD_TOKEN_FILE to a file that has it. Nothing was done.\n`,
    });
  });

  test("a wrong token is told in the same words, and --json has them too", async () => {
    const env = { ELWOOD_TOKEN: "another-token-altogether" };
    const { code, stdout } = await elwood(["--json", "hello"], { home: home.path, env });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: "UNAUTHENTICATED",
        message: expect.stringContaining("has no valid token: set ELWOOD_TOKEN"),
      },
    });
  });

  test("the doctor says it as well", async () => {
    const { stdout } = await elwood(["doctor", "--json"], { home: home.path });
    const { findings } = JSON.parse(stdout) as { findings: { id: string; what: string; fix: string }[] };
    expect(findings).toContainEqual(
      expect.objectContaining({
        id: "gateway.token",
        severity: "warning",
        what: "The gateway is running and ready, but this shell has no valid token.",
        fix: expect.stringContaining("Set ELWOOD_TOKEN"),
      }),
    );
    const mine = await elwood(["doctor", "--json"], { home: home.path, env: { ELWOOD_TOKEN: TOKEN } });
    expect(mine.stdout).toContain('"gateway.ready"');
  });

  test("the file that a service reads its environment from does for the shell, too", async () => {
    const file = join(home.path, "elwood.env");
    writeFileSync(file, `# for the unit\nELWOOD_PORT=18789\nELWOOD_TOKEN="${TOKEN}"\n`, { mode: 0o600 });
    const env = { ELWOOD_TOKEN_FILE: file };
    expect(await elwood(["status"], { home: home.path, env })).toMatchObject({ code: 0, stderr: "" });
    expect((await elwood(["hello"], { home: home.path, env })).code).toBe(0);
  });
});
