import { expect, test } from "vitest";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import type { WireTool } from "@elwood/core/protocol/tool-shapes";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { listTools, reloadTools, showTool } from "./tools-command.ts";

const tool: WireTool = {
  toolId: "files.file.write",
  description: "Writes a file.\nWhole.",
  risk: "write",
  egress: "none",
  source: "built-in",
  standing: "granted",
  canPreview: true,
  canUndo: true,
  contractHash: "h".repeat(64),
  labels: { ...WORST_LABELS, egress: "none", critical: ["path"], ids: {}, content: [], time: [] },
  requiresApproval: false,
  idempotent: false,
  canReconcile: false,
  timeoutMs: 30_000,
  secrets: [],
  input: { type: "object" },
  output: {},
};
const strange: WireTool = {
  ...tool,
  toolId: "mail.message.send",
  description: "Sends\u001b[2J mail.",
  egress: "third_party",
  source: "mcp",
  standing: "changed",
  labels: { ...tool.labels, egress: "third_party", critical: ["*"] },
  policy: { default: "ask" },
  secrets: ["MAIL_KEY"],
  output: { type: "object" },
};

async function gateway() {
  const all = [tool, strange];
  const { client } = await testGateway({
    "tools.list": () => ({ tools: all }),
    "tools.get": ({ toolId }) => ({ tool: all.find((each) => each.toolId === toolId)! }),
  });
  return { client };
}

test("tools list says what each does, what it risks, and whether it sends anything out", async () => {
  const io = testIo();
  expect(await listTools(io, await gateway(), { json: false })).toBe(EXIT.ok);
  expect(io.out().split("\n")).toEqual([
    "TOOL               RISK   SENDS      FROM           WHAT IT DOES",
    "files.file.write   write  nothing    built-in       Writes a file. Whole.",
    expect.stringMatching(/^mail\.message\.send {2}write {2}to others {2}mcp \(changed\) {2}Sends.* mail\.$/),
    "",
  ]);
  expect(io.out()).not.toContain("\u001b");
});

test("tools list says below the table which tools are off, and why", async () => {
  const off = ["Browser tools are off because Elwood runs as root. Run Elwood\u001b[2J as another user."];
  const { client } = await testGateway({ "tools.list": () => ({ tools: [tool], off }) });
  const io = testIo();
  expect(await listTools(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("\n\nBrowser tools are off because Elwood runs as root. Run Elwood");
  expect(io.out()).not.toContain("\u001b");
  expect(io.err()).toBe("");
  const json = testIo();
  await listTools(json, { client }, { json: true });
  expect(json.json()).toMatchObject({ off });
});

test("tools list --json prints all of it as one document", async () => {
  const io = testIo();
  await listTools(io, await gateway(), { json: true });
  expect(io.json()).toMatchObject({ tools: [{ toolId: "files.file.write" }, { standing: "changed" }] });
});

test("tools show prints schema and labels, and nothing that a terminal would act on", async () => {
  const io = testIo();
  await showTool(io, await gateway(), { toolId: "files.file.write", json: false });
  expect(io.out()).toContain("  critical  path\n");
  expect(io.out()).toContain("  able      shows what would change, can be undone\n");
  expect(io.out()).toContain('  input\n    {\n      "type": "object"\n    }\n');
  expect(io.out()).not.toContain("  output\n");
  const other = testIo();
  await showTool(other, await gateway(), { toolId: "mail.message.send", json: false });
  expect(other.out()).toContain("  critical  every argument\n");
  expect(other.out()).toContain("  asks      for every call, by its own wish\n");
  expect(other.out()).toContain("  secrets   MAIL_KEY\n");
  expect(other.out()).not.toContain("\u001b");
});

test("tools reload says what changed, and fails where a tool had to be left out", async () => {
  const nothing = { added: [], changed: [], removed: [], problems: [] };
  const quiet = testIo();
  const same = await testGateway({ "tools.reload": () => nothing });
  expect(await reloadTools(quiet, same, { json: false })).toBe(EXIT.ok);
  expect(quiet.out()).toBe("The tools were read anew. Nothing has changed.\n");

  const io = testIo();
  const reloaded = {
    added: ["lamp.light.switch"],
    changed: ["mail.message.send"],
    removed: ["old.thing.do"],
    problems: ["The tool broken.thing.do was left out: it has no schema.\u001b[2J"],
  };
  const other = await testGateway({ "tools.reload": () => reloaded });
  expect(await reloadTools(io, other, { json: false })).toBe(EXIT.failed);
  expect(io.out()).toBe("added    lamp.light.switch\nchanged  mail.message.send\nremoved  old.thing.do\n");
  expect(io.err()).toContain("! The tool broken.thing.do was left out");
  expect(io.err()).not.toContain("\u001b");
  const json = testIo();
  expect(await reloadTools(json, other, { json: true })).toBe(EXIT.failed);
  expect(json.json()).toEqual(reloaded);
});
