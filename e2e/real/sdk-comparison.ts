import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { LoopbackOptions } from "@elwood/testkit/loopback-server";
import { RESPONSES_ROUTE, startOpenai, type OpenaiServer } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The programs behind docs/sdk-comparison.md, run: each in a process of its own, against a model on this machine. */
const ROOT = join(import.meta.dirname, "../..");
const PROGRAMS = join(ROOT, "e2e/sdk/comparison");
const TEST_MS_MAX = 600_000;
/** As the page names them. */
const PACKAGES = [
  "@openai/agents@0.20.0",
  "ai@7.0.169",
  "@ai-sdk/anthropic@4.0.102",
  "@mastra/core@1.71.0",
  "@mastra/libsql@1.23.1",
  "@anthropic-ai/claude-agent-sdk@0.3.325",
  "zod@4.6.7",
];
/** Others' requests are theirs: what their servers would refuse is not for us to say. */
const ANYTHING: LoopbackOptions = { check: () => undefined };
let others: string;
let claude: AnthropicServer;
let gpt: OpenaiServer;
let gateway: GatewayProcess;
let owner: GatewayClient;

beforeAll(async () => {
  others = mkdtempSync(join(tmpdir(), "elwood-real-comparison-"));
  writeFileSync(join(others, "package.json"), '{"private":true,"type":"module"}\n');
  for (const name of readdirSync(PROGRAMS).filter((each) => each.endsWith(".ts.txt")))
    copyFileSync(join(PROGRAMS, name), join(others, name.replace(/\.txt$/, "")));
  copyFileSync(join(PROGRAMS, "given.ts"), join(others, "given.ts"));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...PACKAGES], { cwd: others, stdio: "pipe" });
  claude = await startAnthropic(ANYTHING);
  claude.always(ANTHROPIC_ROUTE, (exchange) => {
    const { messages, tools = [] } = exchange.request.body as {
      readonly messages: readonly unknown[];
      readonly tools?: readonly { readonly name: string }[];
    };
    const next = nextOf(
      JSON.stringify(messages),
      tools.map(({ name }) => name),
    );
    const answer = typeof next === "string" ? anthropic.reply(next) : anthropic.tools([next]);
    return answer(exchange);
  });
  gpt = await startOpenai(ANYTHING);
  gpt.always(RESPONSES_ROUTE, (exchange) => {
    const { input, tools = [] } = exchange.request.body as {
      readonly input: unknown;
      readonly tools?: readonly { readonly name: string }[];
    };
    const next = nextOf(
      JSON.stringify(input),
      tools.map(({ name }) => name),
    );
    const answer = typeof next === "string" ? responses.reply(next) : responses.tools([next]);
    return answer(exchange);
  });
  gateway = await startGatewayProcess({
    env: {
      ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
      ANTHROPIC_BASE_URL: claude.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
  });
  owner = await GatewayClient.connect({ url: gateway.url, token: gateway.token });
  // A new tool asks; that of the second task is decided by its program.
  owner.onPush((push) => {
    if (isPush(push, "exec.approval_request") && push.data.toolName.includes("stock"))
      void owner.call("exec.approve", { approvalId: push.data.approvalId });
  });
}, TEST_MS_MAX);

afterAll(async () => {
  await owner.close();
  await gateway.stop();
  await claude.close();
  await gpt.close();
  rmSync(others, { recursive: true, force: true });
});

/** What the model does next: a call, or the words of an answer. */
function nextOf(talk: string, tools: readonly string[]): string | { name: string; input: unknown } {
  const answered = /"(?:tool_result|function_call_output)"/.test(talk);
  const toolFor = (words: RegExp) => tools.find((name) => words.test(name));
  if (talk.includes("Bob owes us")) {
    const value = { customer: "Bob", cents: 4_200 };
    const tool = answered ? undefined : toolFor(/^(?:json|structured_?output)$/i);
    return tool === undefined ? JSON.stringify(value) : { name: tool, input: value };
  }
  const stock = toolFor(/stock|count/);
  if (stock !== undefined) return answered ? "Twelve are left." : { name: stock, input: { kind: "tulip" } };
  const refund = toolFor(/refund|pay/);
  if (refund !== undefined)
    return !answered
      ? { name: refund, input: { order: 7 } }
      : talk.includes("paid back")
        ? "You get your money back."
        : "Nothing was paid.";
  return talk.includes("Roses, please.") ? "A bunch of roses." : "Which ones?";
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** What was done to the world, in order. */
  readonly done: readonly string[];
  readonly stderr: string;
}

async function run(program: string, decision: "yes" | "no" = "yes"): Promise<Ended> {
  const own = program.startsWith("elwood");
  const env = {
    PATH: process.env["PATH"],
    HOME: others,
    DECISION: decision,
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: program.startsWith("claude") ? claude.url : `${claude.url}/v1`,
    OPENAI_API_KEY: "sk-loopback-key-000000",
    OPENAI_BASE_URL: gpt.baseUrl,
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    MASTRA_TELEMETRY_DISABLED: "1",
    ...(own ? { ELWOOD_HOME: gateway.home, ELWOOD_TOKEN: gateway.token } : {}),
  };
  const child = spawn(process.execPath, [join(own ? PROGRAMS : others, `${program}.ts`)], {
    cwd: own ? ROOT : others,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString("utf8")));
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString("utf8")));
  const code = await new Promise<number | null>((resolve) => child.on("exit", resolve));
  const done = stderr.split("\n").filter((line) => /^(?:stock|refund|decide) /.test(line));
  return { code, stdout: stdout.trim(), stderr, done };
}

/** The page says which programs do not run here, and why. */
const MOST = ["elwood", "openai", "aisdk"];

test.each(MOST)(
  "1. %s answers with a tool",
  async (sdk) => {
    const { stdout, done, stderr } = await run(`${sdk}-1`);
    expect([stdout, done], stderr).toEqual(["Twelve are left.", ["stock tulip"]]);
  },
  TEST_MS_MAX,
);

test.each([...MOST, "mastra"])(
  "2. %s makes a call that a person allows, and not one that they deny",
  async (sdk) => {
    const allowed = await run(`${sdk}-2`);
    expect([allowed.stdout, allowed.done], allowed.stderr).toEqual([
      expect.stringContaining("You get your money back."),
      [expect.stringMatching(/^decide /), "refund 7"],
    ]);
    const denied = await run(`${sdk}-2`, "no");
    expect(denied.done, denied.stderr).toEqual([expect.stringMatching(/^decide /)]);
  },
  TEST_MS_MAX,
);

test.each(MOST)(
  "3. %s answers with a checked value",
  async (sdk) => {
    const { stdout, stderr } = await run(`${sdk}-3`);
    expect(stdout, stderr).toBe("Bob 4200");
  },
  TEST_MS_MAX,
);

test.each([...MOST, "mastra", "claude"])(
  "4. %s streams two turns of one conversation",
  async (sdk) => {
    const { stdout, stderr } = await run(`${sdk}-4`);
    expect(stdout, stderr).toBe("Which ones?A bunch of roses.");
    const server = sdk === "openai" ? gpt : claude;
    expect(server.last().text).toMatch(/I need a bunch\.[^]*Which ones\?[^]*Roses, please\./);
  },
  TEST_MS_MAX,
);

test.each(MOST)(
  "5. %s tests the tool with a scripted model",
  async (sdk) => {
    const { code, stderr } = await run(`${sdk}-5`);
    expect(code, stderr).toBe(0);
  },
  TEST_MS_MAX,
);
