import { expect, test } from "vitest";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import type { WireTool } from "@elwood/core/protocol/tool-shapes";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { listTools, reloadTools, showTool, grantTool, revokeTool } from "./tools-command.ts";

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
  expect(quiet.out()).toBe("The tools were reloaded. Nothing has changed.\n");

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

const ownTool: WireTool = {
  toolId: "posthog.visitors.count",
  description: "Counts visitors.",
  risk: "read",
  egress: "third_party",
  source: "workspace",
  standing: "new",
  canPreview: false,
  canUndo: false,
  contractHash: "h".repeat(64),
  labels: { ...WORST_LABELS, critical: [], ids: {}, content: [], time: [] },
  requiresApproval: false,
  idempotent: false,
  canReconcile: false,
  timeoutMs: 30_000,
  secrets: ["POSTHOG_API_KEY"],
  secretsMissing: ["POSTHOG_API_KEY"],
  hosts: ["eu.posthog.com"],
  network: "not-enforced",
  input: { type: "object" },
  output: {},
};

const gatewayWithOwn = (more: Partial<WireTool> = {}) =>
  testGateway({
    "tools.get": () => ({ tool: { ...ownTool, ...more } }),
    "tools.grant": () => ({ ok: true }),
    "tools.revoke": () => ({ ok: true }),
    "tools.list": () => ({ tools: [ownTool], problems: ["tools/x/y.ts:3: Expression expected."] }),
  });
const given = { toolId: ownTool.toolId, json: false };

test("tools grant shows what the tool may do and what is not enforced, and names the contract it saw", async () => {
  const io = testIo();
  const { client, calls } = await gatewayWithOwn();
  expect(await grantTool(io, { client }, { ...given, yes: true })).toBe(EXIT.ok);
  expect(io.err()).toContain("reaches   eu.posthog.com\n            not enforced here");
  expect(io.err()).toContain("secrets   POSTHOG_API_KEY\n            not there yet: POSTHOG_API_KEY");
  expect(io.out()).toMatch(/^Granted\. Its calls still ask where they send something out/);
  expect(calls.at(-1)).toEqual({
    method: "tools.grant",
    params: { toolId: ownTool.toolId, contractHash: ownTool.contractHash },
  });
});

test("tools grant grants nothing where nobody can be asked, and nothing twice", async () => {
  const { client, calls } = await gatewayWithOwn();
  const io = testIo();
  expect(await grantTool(io, { client }, { ...given, yes: false })).toBe(EXIT.failed);
  expect(io.err()).toContain("Nothing was granted. To grant it without a question");
  const known = await gatewayWithOwn({ standing: "granted" });
  expect(await grantTool(io, known, { ...given, yes: true })).toBe(EXIT.ok);
  expect([...calls, ...known.calls].map(({ method }) => method)).toEqual(["tools.get", "tools.get"]);
});

test("tools revoke says that it asks again", async () => {
  const io = testIo();
  const { client } = await gatewayWithOwn();
  expect(await revokeTool(io, { client }, given)).toBe(EXIT.ok);
  expect(io.out()).toBe("Revoked. posthog.visitors.count asks for every call again.\n");
});

test("tools list tells modules that cannot be loaded, and tools show what is not enforced", async () => {
  const io = testIo();
  const { client } = await gatewayWithOwn();
  expect(await listTools(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.err()).toBe("! tools/x/y.ts:3: Expression expected.\n");
  expect(await showTool(io, { client }, given)).toBe(EXIT.ok);
  expect(io.out()).toContain("hosts     eu.posthog.com; not enforced here");
  expect(io.out()).toContain("secrets   POSTHOG_API_KEY (not there, or not given to it)");
  expect(io.out()).toContain("from      workspace (new): asks for every call until you grant it");
});
