import { startWebSite, type WebSite } from "@elwood/testkit/web-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { actScene, asked, fileIn, finalOf, runCalls, type Scene } from "./act-scene.ts";
import { Canaries, filesUnder } from "./canaries.ts";
import { BROWSER_PATH } from "./page-browser.ts";

const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MIXED = `${UPPER}${UPPER.toLowerCase()}`;
const canaries = new Canaries();
/** Six that Elwood was given, and six that only look like secrets. */
const PLANTED = [
  canaries.plant("the model's key"),
  canaries.plant("another provider's key"),
  canaries.plant("the owner's token"),
  canaries.plant("the key for searching"),
  canaries.plant("a header of a provider"),
  canaries.plant("the key of a tool"),
  canaries.plant("a key like OpenAI's", "sk-proj-"),
  canaries.shape("a key like GitHub's", "ghp_", 36, MIXED),
  canaries.shape("a key like Amazon's", "AKIA", 16, UPPER),
  canaries.shape("a key like Google's", "AIza", 35, MIXED),
  canaries.shape("a key like Slack's", "xoxb-", 40, MIXED),
  canaries.shape("a token like Elwood's", "elw_", 43, MIXED),
] as const;
const [model, openai, token, search, header, own] = PLANTED;
const TEXT = PLANTED.map((value, at) => `line ${at} holds ${value} here`).join("\n");

let site: WebSite;
let scene: Scene;
beforeAll(async () => {
  const html = `<!doctype html><title>Keys ${PLANTED[7]}</title><article>${TEXT.split("\n")
    .map((line) => `<p>${line}. ${"And a few words more. ".repeat(8)}</p>`)
    .join("")}</article>`;
  site = await startWebSite({
    pages: {
      "/keys": (_req, res) => {
        res.setHeader("content-type", "text/html");
        res.end(html);
      },
    },
  });
  scene = await actScene({
    env: {
      ANTHROPIC_API_KEY: model,
      OPENAI_API_KEY: openai,
      ELWOOD_TOKEN: token,
      BRAVE_SEARCH_API_KEY: search,
      DEMO_TOOL_KEY: own,
    },
    config: [
      "log: { level: debug }",
      "providers:",
      "  local:",
      "    baseUrl: http://127.0.0.1:9/v1",
      "    api: chat",
      `    headers: { x-gate: ${header} }`,
      "tools:",
      "  secrets:",
      "    DEMO_TOOL_KEY: [demo.*]",
      "web:",
      `  allowedOrigins: ['${site.origin}']`,
      ...(BROWSER_PATH
        ? ["browser:", `  executable: ${BROWSER_PATH}`, `  sandbox: ${process.getuid?.() !== 0}`]
        : []),
      "",
    ].join("\n"),
  });
  fileIn(scene.home, "keys.txt").put(TEXT);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await site.close();
});

/** The files that the owner wrote themselves, and the vault. */
const THEIR_PLACE = /^(?:files|vault)\/|^config\.yaml$/;

afterEach(async () => {
  await scene.owner.result("approvals.list");
  await scene.owner.result("receipts.list", { limit: 200 });
  const onDisk = filesUnder(scene.home)
    .filter(({ path }) => !THEIR_PLACE.test(path))
    .flatMap(({ path, bytes }) => canaries.foundIn(bytes).map((name) => `${name} in ${path}`));
  expect(onDisk, "on disk").toEqual([]);
  const inFrames = scene.wires.flatMap((wire) =>
    wire.frames.flatMap((f) => canaries.foundIn(JSON.stringify(f))),
  );
  expect(inFrames, "in frames").toEqual([]);
  const { stdout, stderr } = scene.gateway.output();
  expect(canaries.foundIn(stdout + stderr), "in what was printed").toEqual([]);
});

/** Runs the calls, allows each that asks, and answers what the model was told. */
async function told(calls: readonly { tool: string; input: unknown }[], reply?: string): Promise<string> {
  const { runId, told: results } = await runCalls(scene, calls, reply === undefined ? {} : { reply });
  const of = (f: { event?: string; data?: Record<string, unknown> }) => f.data?.["runId"] === runId;
  for (let nth = 0; ; nth++) {
    const over = await scene.owner.until(
      (f) =>
        of(f) &&
        (f.event === "chat.final" ||
          (f.event === "exec.approval_request" &&
            scene.owner.frames.filter((each) => each.event === "exec.approval_request" && of(each))[nth] ===
              f)),
    );
    if (over.event === "chat.final") break;
    const { approvalId } = await asked(scene.owner, runId, nth);
    await scene.owner.result("exec.approve", { approvalId });
  }
  const final = await finalOf(scene.owner, runId);
  const heard = results().join("\n");
  expect(canaries.foundIn(heard), "told to the model").toEqual([]);
  expect(canaries.foundIn(JSON.stringify(final)), "in the reply").toEqual([]);
  return heard;
}

const call = (tool: string, input: unknown) => ({ tool, input });

describe("EL-18: twelve planted secrets come out of no tool", () => {
  test("not out of a command, by its output or by its arguments", async () => {
    const output = await told([call("shell.command.run", { argv: ["cat", "keys.txt"] })]);
    expect(output).toContain("line 11 holds [redacted");
    await told([call("shell.command.run", { argv: ["printf", "%s", ...PLANTED] })]);
    await told([call("shell.command.run", { argv: ["sh", "-c", `echo '${TEXT}' >&2; exit 3`] })]);
  });

  test("not out of a page, and not by the address of one", async () => {
    const output = await told([call("web.page.fetch", { url: `${site.origin}/keys` })]);
    expect(output).toContain("holds [redacted");
    await told(PLANTED.map((value) => call("web.page.fetch", { url: `${site.origin}/keys?k=${value}` })));
  });

  test("not out of a program: its source, its console, its result, its plan and its failure", async () => {
    const text = JSON.stringify(TEXT);
    const output = await told([
      call("program.code.run", { source: `console.log(${text}); return { found: ${text} };` }),
    ]);
    expect(output).toContain("[redacted");
    await told([
      call("program.code.run", {
        source: `const read = await tools.files.file.read({ path: "keys.txt" }); console.log(JSON.stringify(read)); return read;`,
      }),
    ]);
    await told([
      call("program.code.run", {
        source: `const saved = await tools.files.file.write({ path: "copy.txt", content: ${text} }); return saved.ok;`,
      }),
    ]);
    await told([call("program.code.run", { source: `throw new Error(${text});` })]);
    await told([call("program.code.run", { source: `const broken: number = ${text}; return broken;` })]);
  });

  test("not out of a search in files, a refused call or what the model says of it", async () => {
    await told([call("files.file.search", { path: ".", query: "holds" })], `I found:\n${TEXT}`);
    await told(PLANTED.map((value) => call("files.file.read", { path: `${value}.txt` })));
    await told([call(`files.file.${model}`, { [PLANTED[7]]: TEXT })]);
  });

  test.skipIf(!BROWSER_PATH)("not out of the browser", async () => {
    await told([call("browser.page.open", { url: `${site.origin}/keys` }), call("browser.page.read", {})]);
  });
});
