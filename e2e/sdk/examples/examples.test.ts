import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Assistant, type ICoreEngineClient } from "@elwood/sdk";
import {
  autoApprove,
  error,
  MemoryEngine,
  ScriptedModel,
  text,
  toolCall,
  type Step,
} from "@elwood/sdk/testing";
import { Hono } from "hono";
import { chromium } from "playwright-core";
import { rolldown } from "rolldown";
import { expect, onTestFinished, test } from "vitest";
import { converse } from "./command-line.ts";
import { expressHandler } from "./express-handler.ts";
import * as first from "./first-assistant.ts";
import * as handOver from "./hand-over.ts";
import { handler } from "./http-handler.ts";
import * as choice from "./human-choice.ts";
import { report } from "./scheduled-report.ts";
import * as scripted from "./scripted-test.ts";
import * as output from "./structured-output.ts";
import * as support from "./support-with-approval.ts";
import { bookings } from "./tool-with-undo.ts";

const engineOf = (...script: Step[]) =>
  new MemoryEngine({ model: new ScriptedModel(script), approvals: autoApprove("stock", "sales") });
const assistantOf = (coreEngineClient: ICoreEngineClient) =>
  new Assistant({ id: "a", name: "A", role: "", personality: "", tools: [], coreEngineClient });

test("first-assistant", async () => {
  const engine = engineOf(toolCall("stock", { kind: "tulip" }), text("Twelve are left."));
  expect(await first.run(engine)).toBe("Twelve are left.");
  expect(engine.receipts()).toMatchObject([{ tool: "stock", status: "succeeded" }]);
});

test("support-with-approval", async () => {
  const script = [toolCall("refund", { order: 7 }), text("You get your money back.")];
  expect(await support.run(async () => "yes", engineOf(...script))).toEqual({
    refunds: [7],
    answer: "You get your money back.",
  });
  expect((await support.run(async () => "no", engineOf(...script))).refunds).toEqual([]);
});

test("structured-output", async () => {
  const engine = engineOf(text('{"customer": "Bob", "cents": 4200}'));
  expect(await output.run("Bob owes us 42 dollars.", engine)).toEqual({ customer: "Bob", cents: 4_200 });
});

test("tool-with-undo", async () => {
  const { tool, booked } = bookings();
  const made: unknown = await tool.execute({ people: 4 }, "c", { idempotencyKey: "k1" });
  expect([...booked]).toEqual([["k1", 4]]);
  expect(await tool.reconcile({ people: 4 }, "k1")).toBe("happened");
  expect(await tool.undo({ people: 4 }, made)).toEqual({ cancelled: true });
  expect(await tool.reconcile({ people: 4 }, "k1")).toBe("did-not-happen");
});

test("human-choice", async () => {
  const model = new ScriptedModel([text("By train or by plane.")]);
  const engine = new MemoryEngine({ model, answers: ({ options }) => options?.[0] });
  expect(await choice.run(engine)).toBe("By train, 12 hours");
});

test("hand-over", async () => {
  const model = new ScriptedModel([text("Tulips are red."), text("Dear Bob, tulips are red.")]);
  expect(await handOver.run("tulips", new MemoryEngine({ model }))).toBe("Dear Bob, tulips are red.");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Tulips are red.");
});

test("http-handler, behind Hono", async () => {
  const { app, ask } = hono(engineOf(text("Hello.", ["Hel", "lo."])));
  const answer = await ask("hi");
  expect([answer.status, await answer.text()]).toEqual([200, "Hello."]);
  expect((await ask(" ")).status).toBe(400);
  expect((await app.request("/", { method: "GET" })).status).toBe(404);
  const failing = hono(engineOf(error("OVERLOADED")));
  await expect((await failing.ask("hi")).text()).rejects.toThrow("OVERLOADED");
});

function hono(engine: ICoreEngineClient) {
  const handle = handler(assistantOf(engine));
  const app = new Hono().post("/", (context) => handle(context.req.raw));
  return { app, ask: async (body: string) => app.request("/", { method: "POST", body }) };
}

test("express-handler, behind Express", async () => {
  const express = createRequire(import.meta.url)("express") as () => ExpressApp;
  const app = express();
  app.post("/", expressHandler(assistantOf(engineOf(text("Hello.", ["Hel", "lo."])))));
  const server = app.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  const answer = await fetch(url, { method: "POST", body: "hi" });
  expect([await answer.text(), answer.headers.get("x-powered-by")]).toEqual(["Hello.", "Express"]);
  expect((await fetch(url, { method: "POST", body: " " })).status).toBe(400);
  // The script is over: what the assistant throws or tells is no answer.
  await expect(fetch(url, { method: "POST", body: "again" }).then((late) => late.text())).rejects.toThrow();
});

/** As much of Express as is used here; its types are a package of their own. */
interface ExpressApp {
  post(path: string, handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>): void;
  listen(port: number, host: string): Server;
}

test("scripted-test", async () => {
  await scripted.run();
});

const executablePath = process.env["ELWOOD_TEST_BROWSER"];

test.skipIf(executablePath === undefined)("browser-page", async () => {
  const code = `
import { Assistant } from "@elwood/sdk";
import { MemoryEngine, ScriptedModel, text } from "@elwood/sdk/testing";
import { mount } from ${JSON.stringify(join(import.meta.dirname, "browser-page.ts"))};
const coreEngineClient = new MemoryEngine({ model: new ScriptedModel([text("Hello, page.")]) });
const assistant = new Assistant({ id: "a", name: "A", role: "", personality: "", tools: [], coreEngineClient });
mount(assistant, document.querySelector("form"), document.querySelector("div"));`;
  const entry = join(import.meta.dirname, "page-entry.ts");
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    external: /^node:/,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm" });
  await bundle.close();
  const browser = await chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox"] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const files = new Map(output.map((file) => [`/${file.fileName}`, file.type === "chunk" ? file.code : ""]));
  const html = `<form><input name="prompt"><button>Send</button></form><div></div><script type="module" src="/${output[0].fileName}"></script>`;
  // From an address of this machine: browsers give pages from nowhere no random ids.
  await page.route("http://localhost/**", (route) => {
    const code = files.get(new URL(route.request().url()).pathname);
    const contentType = code === undefined ? "text/html" : "text/javascript";
    return route.fulfill({ contentType, body: code ?? html });
  });
  await page.goto("http://localhost/");
  await page.fill("input", "hi");
  await page.click("button");
  await page.waitForFunction(
    () => document.querySelectorAll("p")[1]?.textContent === "Hello, page.",
    undefined,
    {
      timeout: 60_000,
    },
  );
  expect(await page.locator("p").allTextContents()).toEqual(["hi", "Hello, page."]);
});

test("command-line", async () => {
  async function* lines() {
    yield "one";
    yield "two";
  }
  const written: string[] = [];
  const assistant = assistantOf(engineOf(text("First."), text("Second.")));
  await converse(assistant, lines(), (piece) => written.push(piece));
  expect(written.join("")).toBe("First.\nSecond.\n");
});

test("scheduled-report", async () => {
  const engine = engineOf(toolCall("sales"), text("Sold for 3 euros."));
  expect(await report(async () => [100, 200], engine)).toBe("Sold for 3 euros.");
});

test("every example is run here", () => {
  const files = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".ts") && !name.includes(".test."),
  );
  expect(files).toHaveLength(12);
});
