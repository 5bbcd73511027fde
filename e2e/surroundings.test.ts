import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paragraph, wordOf } from "@elwood/testkit/office";
import { pdfOf } from "@elwood/testkit/pdf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSession, send } from "./conversation.ts";
import { actScene, finalOf, runCalls, trail, type Scene } from "./act-scene.ts";

interface Request {
  readonly system: string | readonly { readonly text: string }[];
  readonly tools: readonly {
    readonly name: string;
    readonly input_schema: { readonly properties: Record<string, { readonly description?: string }> };
  }[];
}

let papers: string;
let scene: Scene;
beforeAll(async () => {
  papers = mkdtempSync(join(tmpdir(), "elwood-papers-"));
  writeFileSync(join(papers, "invoice.pdf"), pdfOf(["Invoice 7", "Total 12 EUR"]));
  writeFileSync(join(papers, "locked.pdf"), pdfOf(["x"], { encrypted: true }));
  scene = await actScene({ config: `timeZone: Asia/Tokyo\nfiles:\n  roots:\n    - ${papers}\n` });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  rmSync(papers, { recursive: true });
});

/** What the model was sent, each time. */
const requests = () => scene.model.server.requests.map(({ body }) => body as Request);
const systemOf = ({ system }: Request) =>
  typeof system === "string" ? system : system.map(({ text }) => text).join("");

test("the prompt says where the agent works, once, the paths of tools where they begin, and neither ever changes", async () => {
  const first = await runCalls(scene, [{ tool: "files.file.list", input: {} }]);
  await finalOf(scene.owner, first.runId);
  expect(first.told().join()).toContain("invoice.pdf");
  mkdirSync(join(scene.home, "files", "more"));
  const second = await runCalls(scene, [], { sessionKey: first.sessionKey });
  await finalOf(scene.owner, second.runId);
  const [request, ...later] = requests();
  const folders = `You may read and change files in ${scene.home}/files and ${scene.home}/workspace (your workspace), and only read files in ${papers}. Relative paths start in ${papers}; to read or edit the only file of a name, its name will do.`;
  const [line = ""] = systemOf(request!)
    .split("\n")
    .filter((each) => each.startsWith("You may read"));
  expect(line.startsWith(`${folders} Commands run there. They have `)).toBe(true);
  expect(line.endsWith(" The owner's time zone is Asia/Tokyo.")).toBe(true);
  expect(later.length).toBeGreaterThan(1);
  for (const each of later) expect(systemOf(each)).toBe(systemOf(request!));
  const words = (tool: string, name: string) =>
    request!.tools.find((each) => each.name.endsWith(tool))?.input_schema.properties[name]?.description;
  // Of tools that share a parameter, the first explains it for all.
  expect(words("file__attach", "path")).toBe(`Absolute, or relative to ${papers}.`);
  expect(words("command__run", "cwd")).toBe("A folder below the one that commands run in");
});

test("an attached document reaches the model as text, as data of somebody else", async () => {
  const { url, token } = scene.gateway;
  const stored = await fetch(new URL("/blobs", url), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
    body: wordOf(paragraph("Quarterly figures", "Heading1")),
  });
  const { blobId } = (await stored.json()) as { blobId: string };
  const sessionKey = await openSession(scene.owner);
  const parts = [{ kind: "blob", blobId, name: "report.docx", origin: "attached" }];
  const runId = await send(scene.owner, sessionKey, scene.model.plan([[]]), { parts });
  await finalOf(scene.owner, runId);
  const sent = JSON.stringify(scene.model.server.requests.at(-1)!.body);
  expect(sent).toContain(String.raw`<data origin=\"attached\" file=\"report.docx\">\n# Quarterly figures`);
});

test("tools that cannot work are not offered to the model", async () => {
  const run = await runCalls(scene, []);
  await finalOf(scene.owner, run.runId);
  const offered = requests()
    .at(-1)!
    .tools.map(({ name }) => name);
  expect(offered).toContain("web__page__fetch");
  expect(offered).not.toContain("web__search__query");
  // Where the tests run as root, or there is no browser, the tools for one are off.
  const { off } = (await scene.owner.result("tools.list")) as { off: string[] };
  const browserUnavailable = off.some((line) => line.startsWith("Browser tools are off"));
  expect(offered.some((name) => name.startsWith("browser__"))).toBe(!browserUnavailable);
  if (process.getuid?.() === 0) expect(browserUnavailable).toBe(true);
});

test("a PDF is read as text, and one that gives nothing is a call that failed", async () => {
  const names = ["invoice.pdf", "locked.pdf"];
  const calls = names.map((path) => ({ tool: "files.file.read", input: { path } }));
  const run = await runCalls(scene, calls);
  await finalOf(scene.owner, run.runId);
  const [invoice, locked] = run.told();
  expect(invoice).toContain("[Page 1]\nInvoice 7\n\n[Page 2]\nTotal 12 EUR");
  expect(locked).toContain("it is an encrypted PDF that opens only with a password");
  expect(
    trail(scene.home, run.runId)
      .filter((each) => /^(succeeded|failed)$/.test(each))
      .sort(),
  ).toEqual(["failed", "succeeded"]);
});
