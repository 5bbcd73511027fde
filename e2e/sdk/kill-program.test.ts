import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { cleanEnvironment, startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "paying-program.ts");

interface Said {
  readonly id: "plain" | "careful";
  readonly begun?: string;
  readonly ended?: string;
}

/** Runs the program until both of its assistants have said something with this field, and kills it then. */
async function runUntil(field: "begun" | "ended", args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  const said: Record<string, string> = {};
  let text = "";
  child.stdout.on("data", (data: Buffer) => {
    text += data.toString("utf8");
    for (const line of text.split("\n").slice(0, -1)) {
      const told = JSON.parse(line) as Said;
      if (told[field] !== undefined) said[told.id] = told[field];
    }
    if (Object.keys(said).length === 2) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.on("exit", resolve));
  return said;
}

test.each(["gateway", "local"] as const)(
  "kill -9 of the program in the middle of a tool (%s): what was approved is not lost, and nobody pays twice",
  async (kind) => {
    const model = await startScriptedAnthropic();
    onTestFinished(() => model[Symbol.asyncDispose]());
    const home = temporaryHome();
    const world = `${home.path}-world`;
    onTestFinished(() => {
      rmSync(world, { force: true });
      home.remove();
    });
    const keys = { ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000", ANTHROPIC_BASE_URL: model.url };
    const gateway = kind === "gateway" && (await startGatewayProcess({ home: home.path, env: keys }));
    onTestFinished(async () => {
      if (gateway) await gateway.stop();
    });
    const env = {
      ...cleanEnvironment(home.path, keys),
      ...(gateway ? { ELWOOD_TOKEN: gateway.token } : {}),
    };
    const models = ["plain", "careful"].map((id) => `anthropic/${model.play([[`app.${id}.pay`, {}]])}`);
    const { plain = "", careful = "" } = await runUntil("begun", [kind, home.path, ...models], env);
    const ended = await runUntil("ended", [kind, home.path, ...models, plain, careful], env);
    // Of a payment that is not known by its key nobody can say whether it happened, so that the owner is asked.
    expect(ended).toEqual({ plain: "unknown", careful: "succeeded" });
    const paid = readFileSync(world, "utf8").trim().split("\n");
    expect(paid).toHaveLength(2);
    expect(paid.filter((line) => line.startsWith("careful "))).toHaveLength(1);
  },
);
