import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { elwood } from "@elwood/testkit/elwood-command";
import { cleanEnvironment, startGatewayProcess } from "@elwood/testkit/gateway-process";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

test("the guide's first assistant runs as it is written, with the token that its command makes", async () => {
  const guide = readFileSync(join(ROOT, "docs/sdk.md"), "utf8");
  const command = /ELWOOD_TOKEN=\$\(npx elwood (.+)\)/.exec(guide)![1]!;
  const program = /```ts\n([^]+?)```/.exec(guide)![1]!;
  await using model = await startScriptedAnthropic();
  const script = model.play([["app.florist.stock", { kind: "tulip" }]]);
  await using gateway = await startGatewayProcess({
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: `anthropic/${script}`,
    },
  });
  const { home, url } = gateway;
  const owner = await GatewayClient.connect({
    url,
    token: gateway.token,
    client: { name: "owner", drafts: true },
  });
  onTestFinished(() => owner.close());
  // The owner, who allows the first call.
  owner.onPush((push) => {
    if (isPush(push, "exec.approval_request"))
      void owner.call("exec.approve", { approvalId: push.data.approvalId });
  });
  const { stdout: token } = await elwood(command.split(" "), { home });
  const env = { ...cleanEnvironment(home), ELWOOD_TOKEN: token.trim() };
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString("utf8")));
  await new Promise((resolve) => child.on("exit", resolve));
  expect(said.trim()).toBe("That is all.");
  expect(model.lastShown()).toMatch(/left\\*":\s*12/);
});
