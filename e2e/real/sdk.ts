import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";

/** The SDK as its users get it: packed, installed into an empty project, and used from there. */
const ROOT = join(import.meta.dirname, "../..");
const TEST_MS_MAX = 600_000;
/** The client's own promise; each of them comes from npm. */
const OLDER_NODES = ["20", "22", "24"];
let root: string;
let app: string;
let gateway: GatewayProcess;
let origin: string;
/** Files of the page, by their names. */
const files = new Map<string, string>();
const pages = createServer((request, response) => {
  const code = files.get((request.url ?? "").slice(1));
  response.setHeader("content-type", code === undefined ? "text/html" : "text/javascript");
  response.end(code ?? '<!doctype html><script type="module" src="/page.js"></script>');
});

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "elwood-real-sdk-"));
  app = join(root, "app");
  mkdirSync(app);
  writeFileSync(join(app, "package.json"), '{"private":true,"type":"module"}\n');
  const sdk = packed("packages/sdk/pack.mjs", "sdk");
  const elwood = packed("apps/cli/pack.mjs", "elwood");
  install(
    sdk,
    elwood,
    "ws@8",
    "zod@4",
    "publint",
    "@arethetypeswrong/cli",
    "typescript@5",
    "express@5",
    "hono@4",
  );
  await new Promise<void>((resolve) => pages.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(pages.address() as { port: number }).port}`;
  gateway = await startGatewayProcess({ config: `gateway:\n  allowedOrigins: ["${origin}"]\n` });
}, TEST_MS_MAX);
afterAll(async () => {
  pages.close();
  await gateway.stop();
  rmSync(root, { recursive: true, force: true });
});

function packed(script: string, name: string): string {
  return execFileSync(process.execPath, [join(ROOT, script), join(root, name)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function install(...packages: readonly string[]): void {
  const options = ["--no-audit", "--no-fund", "--cache", join(root, "npm-cache")];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: app, stdio: "pipe" });
}

function run(node: string, name: string, code: string, env: NodeJS.ProcessEnv = {}): string {
  writeFileSync(join(app, name), code);
  const ended = spawnSync(node, [name], { cwd: app, encoding: "utf8", env: { HOME: root, ...env } });
  if (ended.status !== 0) throw new Error(`${node} ${name}: ${ended.stderr}`);
  return ended.stdout.trim();
}

/** A request and its answer, with the socket that this Node has, or that of `ws` where it has none. */
const CLIENT = `
import { GatewayClient, isPush } from "@elwood/sdk/client";
const socket = globalThis.WebSocket ? {} : { socket: await import("ws").then(({ WebSocket }) => (url) => new WebSocket(url)) };
const client = await GatewayClient.connect({
  url: process.env.GATEWAY, token: process.env.TOKEN, client: { name: "real", drafts: true }, ...socket,
});
const { sessionKey } = await client.call("sessions.create", {});
const answered = new Promise((resolve) => client.onPush((push) => isPush(push, "chat.final") && resolve(push.data.text)));
await client.call("chat.send", { sessionKey, message: "hello" });
console.log((await answered).length > 0 ? "answered" : "empty");
await client.close();
`;

test(
  "the client asks a gateway from plain Node 20, 22 and 24",
  () => {
    for (const version of OLDER_NODES) {
      const folder = join(root, `node-${version}`);
      mkdirSync(folder);
      writeFileSync(join(folder, "package.json"), '{"private":true}\n');
      execFileSync("npm", ["install", "--no-audit", "--no-fund", `node@${version}`], {
        cwd: folder,
        stdio: "pipe",
      });
      const node = join(folder, "node_modules/node/bin/node");
      expect(execFileSync(node, ["--version"], { encoding: "utf8" })).toMatch(new RegExp(`^v${version}\\.`));
      const env = { GATEWAY: gateway.url, TOKEN: gateway.token };
      expect(run(node, "client.mjs", CLIENT, env)).toBe("answered");
      process.stdout.write(`client under Node ${version}: answered\n`);
    }
  },
  TEST_MS_MAX,
);

const LOCAL = `
import { Assistant, Tool } from "@elwood/sdk";
import { LocalEngine } from "@elwood/sdk/local";
import { ScriptedModel, expectReceipts, text, toolCall } from "@elwood/sdk/testing";
const pay = new Tool({ name: "pay", description: "Pays.", inputSchema: { type: "object" }, execute: async () => "paid" });
const model = new ScriptedModel([toolCall("pay"), text("Paid.")]);
const coreEngineClient = new LocalEngine({ model, home: process.env.STATE });
const assistant = new Assistant({ id: "till", name: "Till", role: "", personality: "", tools: [pay], coreEngineClient });
const conversation = assistant.startConversation("Pay.");
for await (const event of conversation) {
  if (event.type === "human_input_required") await conversation.submitHumanInput("yes", event.inputStepId);
  if (event.type === "activity") expectReceipts(event).toMatch([{ tool: "pay", status: "succeeded" }]);
  if (event.type === "turn_end") break;
}
await assistant.close();
model.assertComplete();
console.log("paid");
`;

test(
  "the engine with the runtime runs from the packages under the product's own Node, in a folder that the command verifies",
  () => {
    const state = join(root, "state");
    expect(run(process.execPath, "local.mjs", LOCAL, { STATE: state })).toBe("paid");
    const launcher = join(app, "node_modules/elwood/apps/cli/bin/elwood.mjs");
    const verified = spawnSync(process.execPath, [launcher, "receipts", "verify"], {
      encoding: "utf8",
      env: { HOME: root, ELWOOD_HOME: state },
    });
    expect([verified.status, verified.stderr]).toEqual([0, ""]);
  },
  TEST_MS_MAX,
);

test(
  "publint and attw find nothing",
  () => {
    const bin = (name: string) => join(app, "node_modules/.bin", name);
    const publint = spawnSync(bin("publint"), ["node_modules/@elwood/sdk", "--strict"], {
      cwd: app,
      encoding: "utf8",
    });
    expect([publint.status, publint.stdout]).toEqual([0, expect.stringContaining("All good")]);
    const given = ["--pack", "node_modules/@elwood/sdk", "--profile", "esm-only"];
    const attw = spawnSync(bin("attw"), given, { cwd: app, encoding: "utf8" });
    // It ends with 1 where it finds something that the profile does not leave out.
    expect(attw.status, attw.stdout).toBe(0);
  },
  TEST_MS_MAX,
);

const TYPED = `
import { Assistant, Tool } from "@elwood/sdk";
import { GatewayClient } from "@elwood/sdk/client";
import { LocalEngine } from "@elwood/sdk/local";
import { z } from "zod";
const add = new Tool({ name: "add", description: "Adds.", inputSchema: z.object({ n: z.number() }), execute: async ({ n }) => n.toFixed() });
export const assistant = new Assistant({ id: "a", name: "", role: "", personality: "", tools: [add as Tool], coreEngineClient: new LocalEngine() });
const { output } = await assistant.ask("x", { output: z.object({ total: z.number() }) });
export const total: number = output.total;
const client = await GatewayClient.connect({ url: "", token: "" });
// @ts-expect-error -- there is no such method
await client.call("no.such", {});
// @ts-expect-error -- it is text
export const wrong: number = (await client.call("sessions.create", {})).sessionKey;
`;

test(
  "its types hold in a project of TypeScript's own settings, libraries included",
  () => {
    writeFileSync(join(app, "typed.ts"), TYPED);
    const compilerOptions = {
      target: "es2022",
      lib: ["es2023", "dom", "esnext.disposable"],
      module: "nodenext",
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
    };
    writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["typed.ts"] }));
    const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "."], {
      cwd: app,
      encoding: "utf8",
    });
    expect(tsc.stdout).toBe("");
  },
  TEST_MS_MAX,
);

test(
  "in a headless Chromium a page asks the gateway, by the client and as an assistant, out of a bundle without Node",
  async () => {
    const executablePath = process.env["ELWOOD_TEST_BROWSER"] ?? "/usr/bin/chromium";
    const page = `
import { Assistant, GatewayEngine } from "@elwood/sdk";
import { GatewayClient } from "@elwood/sdk/client";
const place = { url: ${JSON.stringify(gateway.url)}, token: ${JSON.stringify(gateway.token)} };
const client = await GatewayClient.connect(place);
const { version } = client.hello.value;
const coreEngineClient = new GatewayEngine(place);
const assistant = new Assistant({ id: "page", name: "P", role: "", personality: "", tools: [], coreEngineClient });
const { text } = await assistant.ask("hello");
document.title = version + " " + (text.length > 0 ? "answered" : "empty");`;
    writeFileSync(join(app, "page.js"), page);
    const bundle = await rolldown({
      input: join(app, "page.js"),
      platform: "browser",
      external: /^node:/,
      treeshake: { moduleSideEffects: false },
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    for (const file of output) if (file.type === "chunk") files.set(file.fileName, file.code);
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
    try {
      const tab = await browser.newPage();
      await tab.goto(origin);
      await tab.waitForFunction(() => document.title !== "", undefined, { timeout: 60_000 });
      expect(await tab.title()).toMatch(/^\d+\.\d+\.\d+ answered$/);
    } finally {
      await browser.close();
    }
  },
  TEST_MS_MAX,
);
