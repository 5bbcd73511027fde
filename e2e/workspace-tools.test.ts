import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startWebSite, type WebSite } from "@elwood/testkit/web-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { actScene, asked, finalOf, ownOf, receiptsIn, runCalls, trail, type Scene } from "./act-scene.ts";
import { openSession, send } from "./conversation.ts";

const KEY = "phx_2f7c19a05be84d31";
let posthog: WebSite;
beforeAll(async () => {
  posthog = await startWebSite({
    pages: {
      "/api/visitors": (req, res, query) => {
        const known = req.headers.authorization === `Bearer ${KEY}`;
        res.writeHead(known ? 200 : 401, { "content-type": "application/json" });
        res.end(JSON.stringify(known ? { visitors: 42, day: query.get("day"), echo: KEY } : {}));
      },
    },
  });
});
afterAll(() => posthog.close());

/** A gateway whose owner has a PostHog of their own, and gives its key to tools of that name. */
function posthogScene(): Promise<Scene> {
  return actScene({
    env: { POSTHOG_API_KEY: KEY },
    config: [
      "web:",
      `  allowedOrigins: ['${posthog.origin}']`,
      "tools:",
      "  secrets:",
      "    POSTHOG_API_KEY: [posthog.*]",
      "",
    ].join("\n"),
  });
}

const VISITORS = () => `import { defineTool, err } from "@elwood/sdk/tool";
import { z } from "zod";

export default defineTool({
  id: "posthog.visitors.count",
  description: "Count the visitors of one day.",
  risk: "read",
  input: z.object({ day: z.iso.date() }),
  labels: { egress: "third_party", output: "third_party", critical: ["day"] },
  hosts: ["${posthog.origin}"],
  secrets: ["POSTHOG_API_KEY"],
  async handler({ day }, ctx) {
    const response = await ctx.fetch("${posthog.origin}/api/visitors?day=" + day, {
      headers: { authorization: "Bearer " + ctx.secrets.POSTHOG_API_KEY },
    });
    if (!response.ok) return err({ code: "http", message: "PostHog says " + response.status, retryable: true });
    return await response.json();
  },
});
`;

const COUNT = { tool: "posthog.visitors.count", input: { day: "2026-11-14" } };
const CHECK = { tool: "workspace.tool.check", input: { integration: "posthog" } };

/** Puts a file into the workspace as an editor does: beside it, then in its place. */
function put(home: string, path: string, text: string): string {
  const file = join(home, "workspace", "tools", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
  return file;
}

interface Listed {
  readonly tools: readonly { toolId: string; standing: string; source: string; description: string }[];
  readonly problems?: readonly string[];
}

async function listed(scene: Scene): Promise<Listed> {
  return (await scene.owner.result("tools.list")) as unknown as Listed;
}

const own = async (scene: Scene) =>
  (await listed(scene)).tools.filter(({ source }) => source === "workspace").map(({ toolId }) => toolId);

const QUIET = { interval: 50, timeout: 60_000 };

/** The names of the tools that the model was offered, request by request. */
function offered(scene: Scene): string[][] {
  return scene.model.server.requests.map(({ body }) =>
    ((body as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name),
  );
}

test("OA-7: asked for what no tool does, the assistant writes one, mends it, and uses it in its next step", async () => {
  await using scene = await posthogScene();
  const file = join(scene.home, "workspace", "tools", "posthog", "visitors.ts");
  const broken = VISITORS().replace("return await response.json();", "return await response.json(;");
  const WRITE = (content: string) => ({ tool: "files.file.write", input: { path: file, content } });
  const words = scene.model.plan(
    [[{ tool: "workspace.tool.check" }], [WRITE(broken)], [WRITE(VISITORS())], [COUNT]],
    "There were 42 visitors.",
  );
  const runId = await send(scene.owner, await openSession(scene.owner), words);

  // A write under tools/ asks, with all of it to be seen; one with mistakes is refused before.
  const first = await asked(scene.owner, runId, 0);
  expect(first).toMatchObject({ toolName: "files.file.write", rule: "ask.agent-file" });
  expect(JSON.stringify(first)).toContain("posthog.visitors.count");
  expect(JSON.stringify(first)).not.toContain("response.json(;");
  await scene.owner.result("exec.approve", { approvalId: first.approvalId });

  // The tool is there, new to the owner, and says what it would be given.
  // It needs a key, so that its first use asks too.
  const third = await asked(scene.owner, runId, 1);
  expect(third).toMatchObject({ toolName: "posthog.visitors.count", rule: "ask.new-tool" });
  expect(JSON.stringify(third)).toContain(`It may reach ${posthog.origin}, and is given POSTHOG_API_KEY.`);
  expect(posthog.visits).toEqual([]);
  await scene.owner.result("exec.approve", { approvalId: third.approvalId });
  const final = await finalOf(scene.owner, runId);
  expect(final.text).toContain("42 visitors");
  expect(posthog.visits.map(({ url }) => url)).toEqual(["/api/visitors?day=2026-11-14"]);

  // What the model was told: how to write one, the mistake with its line, and that it is loaded.
  const told = toldTexts(scene);
  expect(told).toContain('id: "posthog.visitors.count", // begins with the name of the folder');
  expect(told).toMatch(/Not written, and the owner was not asked[^]*tools\/posthog\/visitors\.ts:17/);
  expect(told).toContain("Loaded: posthog.visitors.count. From your next step on");
  const hadIt = offered(scene).map((names) => names.includes("posthog__visitors__count"));
  expect(hadIt).toEqual([false, false, false, true, true]);

  // Every step has its receipts, and the key is nowhere.
  const steps = ["requested", "started", "succeeded"];
  const askedSteps = ["requested", "asked", "approved", "started", "succeeded"];
  expect(trail(scene.home, runId)).toEqual([...steps, "requested", "refused", ...askedSteps, ...askedSteps]);
  expect(told).not.toContain(KEY);
  expect(JSON.stringify(receiptsIn(scene.home))).not.toContain(KEY);
  for (const wire of scene.wires) expect(JSON.stringify(wire.frames)).not.toContain(KEY);
  expect(readFileSync(join(scene.home, "elwood.db")).includes(KEY)).toBe(false);

  // Until it is granted it asks because it is new; afterwards by the usual layers.
  const explain = () => scene.owner.result("policy.explain", { toolId: COUNT.tool, input: COUNT.input });
  expect(await explain()).toMatchObject({ rule: "ask.new-tool" });
  const { tool } = (await scene.owner.result("tools.get", { toolId: COUNT.tool })) as {
    tool: {
      contractHash: string;
      hosts: string[];
      secrets: string[];
      secretsMissing?: string[];
      network: string;
    };
  };
  expect(tool).toMatchObject({ hosts: [posthog.origin], secrets: ["POSTHOG_API_KEY"] });
  expect(tool.secretsMissing).toBeUndefined();
  expect(["enforced", "not-enforced"]).toContain(tool.network);
  const other = await scene.owner.ask("tools.grant", { toolId: COUNT.tool, contractHash: "another" });
  expect(other.error?.data?.reason).toBe("CONFLICT");
  await scene.owner.result("tools.grant", { toolId: COUNT.tool, contractHash: tool.contractHash });
  expect(await explain()).not.toMatchObject({ rule: "ask.new-tool" });
  expect(receiptsIn(scene.home, { type: "grant.created" }).at(-1)?.payload).toMatchObject({
    toolId: COUNT.tool,
    contractHash: tool.contractHash,
    hosts: [posthog.origin],
    secrets: ["POSTHOG_API_KEY"],
  });
  await scene.owner.result("tools.revoke", { toolId: COUNT.tool });
  expect(await explain()).toMatchObject({ rule: "ask.new-tool" });
  expect(receiptsIn(scene.home, { type: "grant.revoked" })).toHaveLength(1);
});

const CONVERT = (host: string) => `import { defineTool, err } from "@elwood/sdk/tool";
import { z } from "zod";

export default defineTool({
  id: "rates.amount.convert",
  description: "Converts an amount.",
  risk: "read",
  input: z.object({ amount: z.number(), to: z.string() }),
  labels: { output: "third_party", critical: ["to"] },
  hosts: ["${host}"],
  async handler({ amount, to }, ctx) {
    const response = await ctx.fetch("${host}/api/visitors?day=" + to);
    return { amount, to, status: response.status };
  },
});
`;

test("writing, checking and first using a tool is one card, as long as it only reads and is given what the owner typed", async () => {
  await using scene = await posthogScene();
  const file = join(scene.home, "workspace", "tools", "rates", "convert.ts");
  const WRITE = { tool: "files.file.write", input: { path: file, content: CONVERT(posthog.origin) } };
  const USE = (to: string) => ({ tool: "rates.amount.convert", input: { amount: 250, to } });
  const before = posthog.visits.length;
  const words = scene.model.plan([[WRITE], [USE("USD"), USE("CHF")], [USE("secret-of-mine")]], "Done.");
  const runId = await send(
    scene.owner,
    await openSession(scene.owner),
    `${words} Make yourself a tool for rates, then tell me what 250 EUR are in USD and CHF.`,
  );
  const card = await asked(scene.owner, runId, 0);
  expect(card).toMatchObject({ toolName: "files.file.write", rule: "ask.agent-file" });
  expect(JSON.stringify(card)).toContain("may then be used for this message too");
  await scene.owner.result("exec.approve", { approvalId: card.approvalId });

  // What the owner did not type goes nowhere unasked, and the two uses before asked nobody.
  const other = await asked(scene.owner, runId, 1);
  expect(other).toMatchObject({ toolName: "rates.amount.convert", rule: "ask.new-tool" });
  expect(JSON.stringify(other)).toContain("secret-of-mine");
  expect(posthog.visits.slice(before).map(({ url }) => url)).toEqual([
    "/api/visitors?day=USD",
    "/api/visitors?day=CHF",
  ]);
  await scene.owner.result("exec.deny", { approvalId: other.approvalId });
  await finalOf(scene.owner, runId);
  expect(toldTexts(scene)).toContain("Loaded: rates.amount.convert. From your next step on");

  // For the next message it is a tool that the owner has not granted.
  const again = scene.model.plan([[USE("USD")]], "Done.");
  const next = await send(scene.owner, await openSession(scene.owner), `${again} 250 EUR in USD?`);
  const asks = await asked(scene.owner, next, 0);
  expect(asks).toMatchObject({ toolName: "rates.amount.convert", rule: "ask.new-tool" });
  await scene.owner.result("exec.deny", { approvalId: asks.approvalId });
  await finalOf(scene.owner, next);
});

test("a module that was edited is loaded at once: the next call runs what stands there now", async () => {
  await using scene = await posthogScene();
  const path = join(scene.home, "workspace", "tools", "rates", "convert.ts");
  const WRITE = { tool: "files.file.write", input: { path, content: CONVERT(posthog.origin) } };
  const EDIT = { tool: "files.file.edit", input: { path, oldText: "?day=", newText: "?date=" } };
  const USE = { tool: "rates.amount.convert", input: { amount: 250, to: "USD" } };
  const before = posthog.visits.length;
  const words = scene.model.plan([[WRITE], [EDIT], [USE]], "Done.");
  const runId = await send(
    scene.owner,
    await openSession(scene.owner),
    `${words} Make yourself a tool for rates, then tell me what 250 EUR are in USD.`,
  );
  for (const [at, toolName] of ["files.file.write", "files.file.edit", "rates.amount.convert"].entries()) {
    const card = await asked(scene.owner, runId, at);
    expect(card).toMatchObject({ toolName });
    await scene.owner.result("exec.approve", { approvalId: card.approvalId });
  }
  await finalOf(scene.owner, runId);
  expect(toldTexts(scene)).toMatch(
    /Changed [^\n]*convert\.ts[^\n]* It reads:\n(?:\d+: [^\n]*\n)+Loaded: rates\.amount\.convert\./,
  );
  expect(posthog.visits.slice(before).map(({ url }) => url)).toEqual(["/api/visitors?date=USD"]);
});

test("OA-7: on a running gateway a tool is created, changed, broken, mended and deleted by hand", async () => {
  await using scene = await posthogScene();
  const grant = async () => {
    const { tool } = (await scene.owner.result("tools.get", { toolId: "notes.text.say" })) as {
      tool: { contractHash: string };
    };
    await scene.owner.result("tools.grant", { toolId: "notes.text.say", contractHash: tool.contractHash });
  };
  const module = (answer: string) => `import { defineTool } from "@elwood/sdk/tool";
export default defineTool({ id: "notes.text.say", risk: "read", input: { type: "object", properties: {} },
  labels: { egress: "none", critical: [] }, handler: () => ${JSON.stringify(answer)} });`;
  const standing = async () =>
    (await listed(scene)).tools.find(({ toolId }) => toolId === "notes.text.say")?.standing;
  const says = async () => {
    const run = await runCalls(scene, [{ tool: "notes.text.say", input: {} }]);
    await finalOf(scene.owner, run.runId);
    return run.told().join();
  };

  put(scene.home, "notes/say.ts", module("one"));
  await expect.poll(standing, QUIET).toBe("new");
  await grant();
  expect(await says()).toContain("one");

  put(scene.home, "notes/say.ts", module("two"));
  await expect.poll(standing, QUIET).toBe("changed");
  const run = await runCalls(scene, [{ tool: "notes.text.say", input: {} }]);
  expect(await asked(scene.owner, run.runId)).toMatchObject({ rule: "ask.changed-tool" });
  await scene.owner.result("chat.abort", { runId: run.runId });
  await grant();
  expect(await says()).toContain("two");

  put(scene.home, "notes/say.ts", `${module("three")}\n\nconst oops = ;`);
  await expect
    .poll(async () => (await listed(scene)).problems, QUIET)
    .toEqual([expect.stringMatching(/^tools\/notes\/say\.ts:5.*stays in use\.$/)]);
  expect(await says()).toContain("two");

  put(scene.home, "notes/say.ts", module("four"));
  await expect.poll(standing, QUIET).toBe("changed");
  expect((await listed(scene)).problems).toBeUndefined();

  rmSync(join(scene.home, "workspace", "tools", "notes"), { recursive: true });
  await expect.poll(() => own(scene), QUIET).toEqual([]);

  // And by request, without waiting for the folder to be looked at.
  put(scene.home, "notes/say.ts", module("five"));
  expect(await scene.owner.result("tools.reload")).toMatchObject({ problems: [] });
  expect(await own(scene)).toEqual(["notes.text.say"]);

  // A panic stop takes it back like every other permission.
  await grant();
  expect(await standing()).toBe("granted");
  expect(await scene.owner.result("gateway.stop_all")).toMatchObject({ grantsRevoked: 1 });
  expect(await standing()).toBe("new");
});

// Five gateways are started in it.
const LONG_MS = 60_000;

test(
  "OA-7: a call that waits survives kill -9 with its tool, a run keeps the version it began with, and a changed one is not run unseen",
  async () => {
    await using scene = await posthogScene();
    put(scene.home, "posthog/visitors.ts", VISITORS());
    await scene.owner.result("tools.reload");
    const before = posthog.visits.length;
    const visits = () => posthog.visits.slice(before).map(({ url }) => url.split("?")[0]);
    const { runId } = await runCalls(scene, [COUNT]);
    const question = await asked(scene.owner, runId);
    await scene.kill();
    await scene.restart();
    // Known by the hash of its sources: the start ran nothing of it, and it is there at once.
    expect(await own(scene)).toEqual(["posthog.visitors.count"]);
    await scene.owner.result("chat.resume", { runId });
    await scene.owner.result("exec.approve", { approvalId: question.approvalId });
    await finalOf(scene.owner, runId);
    expect(visits()).toEqual(["/api/visitors"]);

    // Changed while a call waits: this run has the tool that was asked about.
    const second = await runCalls(scene, [COUNT]);
    const again = await asked(scene.owner, second.runId);
    put(scene.home, "posthog/visitors.ts", VISITORS().replace("/api/visitors", "/elsewhere"));
    await scene.owner.result("tools.reload");
    await scene.owner.result("exec.approve", { approvalId: again.approvalId });
    await finalOf(scene.owner, second.runId);
    expect(visits()).toEqual(["/api/visitors", "/api/visitors"]);

    // Changed while nobody runs: after the restart it is not what was approved.
    const third = await runCalls(scene, [COUNT]);
    const last = await asked(scene.owner, third.runId);
    await scene.kill();
    put(scene.home, "posthog/visitors.ts", VISITORS().replace("/api/visitors", "/again"));
    await scene.restart();
    expect(await own(scene)).toEqual(["posthog.visitors.count"]);
    await scene.owner.result("chat.resume", { runId: third.runId });
    await scene.owner.result("exec.approve", { approvalId: last.approvalId });
    await finalOf(scene.owner, third.runId);
    expect(third.told().join()).toContain("The tool has changed since it was asked about.");
    expect(visits()).toHaveLength(2);

    // And what is kept of its contract may be deleted: nothing that waits is lost by it.
    const fourth = await runCalls(scene, [COUNT]);
    const lastOfAll = await asked(scene.owner, fourth.runId);
    await scene.kill();
    rmSync(join(scene.home, "cache"), { recursive: true });
    await scene.restart();
    await scene.owner.result("chat.resume", { runId: fourth.runId });
    await scene.owner.result("exec.approve", { approvalId: lastOfAll.approvalId });
    await finalOf(scene.owner, fourth.runId);
    expect(visits().at(-1)).toBe("/again");
  },
  LONG_MS,
);

test("a tool that dies in the middle of a call leaves it unknown, and reaches no host that it does not declare", async () => {
  await using scene = await posthogScene();
  const tool = (id: string, risk: string, handler: string) =>
    `defineTool({ id: "bad.${id}", risk: "${risk}", input: { type: "object", properties: {} }, hosts: ["api.example.com"], handler: async (_input, ctx) => { ${handler} } })`;
  put(
    scene.home,
    "bad/x.ts",
    `import { defineTool } from "@elwood/sdk/tool";
export const all = [${tool("thing.die", "write", "process.exit(7)")}, ${tool("thing.reach", "read", `return (await ctx.fetch("${posthog.origin}/json")).status`)}];`,
  );
  expect(await scene.owner.result("tools.reload")).toMatchObject({ problems: [] });
  const before = posthog.visits.length;
  const words = scene.model.plan([
    [{ tool: "bad.thing.die", input: {} }],
    [{ tool: "bad.thing.reach", input: {} }],
  ]);
  const runId = await send(scene.owner, await openSession(scene.owner), words);
  for (const nth of [0, 1]) {
    const { approvalId } = await asked(scene.owner, runId, nth);
    await scene.owner.result("exec.approve", { approvalId });
  }
  const final = await finalOf(scene.owner, runId);
  expect(trail(scene.home, runId)).toContain("unknown");
  expect(toldTexts(scene)).toContain(`does not declare ${posthog.origin} among its hosts`);
  expect(ownOf(final)).toEqual([
    "◈ Started, but no result came back: die bad thing. It may have happened; look before you try again.",
  ]);
  expect(posthog.visits).toHaveLength(before);
});

/** All that the model was told of its calls, in the last request of the scene. */
function toldTexts(scene: Scene): string {
  const body = scene.model.server.requests.at(-1)?.body as { messages: { content: unknown }[] };
  const texts = (value: unknown): string[] =>
    typeof value === "string"
      ? [value]
      : Array.isArray(value)
        ? value.flatMap(texts)
        : typeof value === "object" && value !== null
          ? Object.entries(value).flatMap(([key, each]) =>
              key === "text" || key === "content" ? texts(each) : [],
            )
          : [];
  return body.messages.flatMap(({ content }) => texts(content)).join("\n");
}

test("a module that does not lie among the tools is missed by the full path where it belongs, and the guide names it", async () => {
  await using scene = await actScene();
  const { runId, told } = await runCalls(scene, [{ tool: "workspace.tool.check" }, CHECK]);
  await finalOf(scene.owner, runId);
  const folder = join(scene.home, "workspace", "tools", "posthog");
  const [guide, missing] = told();
  expect(guide).toContain(`// ${join(folder, "visitors.ts")}\n`);
  // It speaks to the model: which tool to call, with which path, and no command of a terminal.
  expect(guide).toContain(`files.file.write {"path": "${join(folder, "visitors.ts")}", "content": …}`);
  expect(guide).toContain('workspace.tool.check {"integration": "posthog"} names every mistake');
  expect(guide).not.toContain("elwood tools new");
  expect(missing).toContain(
    `tools/posthog: there is no folder ${folder}. Write modules with their full path, such as ${join(folder, "visitors.ts")}`,
  );
});
