import { expect, test } from "vitest";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import type { WireTool } from "@elwood/core/protocol/tool-shapes";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";
import { grantTool, revokeTool } from "./tools-grant-command.ts";
import { listTools, showTool } from "./tools-command.ts";

const tool: WireTool = {
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

const gateway = (more: Partial<WireTool> = {}) =>
  testGateway({
    "tools.get": () => ({ tool: { ...tool, ...more } }),
    "tools.grant": () => ({ ok: true }),
    "tools.revoke": () => ({ ok: true }),
    "tools.list": () => ({ tools: [tool], problems: ["tools/x/y.ts:3: Expression expected."] }),
  });
const given = { toolId: tool.toolId, json: false };

test("tools grant shows what the tool may do and what is not enforced, and names the contract it saw", async () => {
  const io = testIo();
  const { client, calls } = await gateway();
  expect(await grantTool(io, { client }, { ...given, yes: true })).toBe(EXIT.ok);
  expect(io.err()).toContain("reaches   eu.posthog.com\n            not enforced here");
  expect(io.err()).toContain("secrets   POSTHOG_API_KEY\n            not there yet: POSTHOG_API_KEY");
  expect(io.out()).toMatch(/^Granted\. Its calls still ask where they send something out/);
  expect(calls.at(-1)).toEqual({
    method: "tools.grant",
    params: { toolId: tool.toolId, contractHash: tool.contractHash },
  });
});

test("tools grant grants nothing where nobody can be asked, and nothing twice", async () => {
  const { client, calls } = await gateway();
  const io = testIo();
  expect(await grantTool(io, { client }, { ...given, yes: false })).toBe(EXIT.failed);
  expect(io.err()).toContain("Nothing was granted. To grant it without a question");
  const known = await gateway({ standing: "granted" });
  expect(await grantTool(io, known, { ...given, yes: true })).toBe(EXIT.ok);
  expect([...calls, ...known.calls].map(({ method }) => method)).toEqual(["tools.get", "tools.get"]);
});

test("tools revoke says that it asks again", async () => {
  const io = testIo();
  const { client } = await gateway();
  expect(await revokeTool(io, { client }, given)).toBe(EXIT.ok);
  expect(io.out()).toBe("Revoked. posthog.visitors.count asks for every call again.\n");
});

test("tools list tells modules that cannot be loaded, and tools show what is not enforced", async () => {
  const io = testIo();
  const { client } = await gateway();
  expect(await listTools(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.err()).toBe("! tools/x/y.ts:3: Expression expected.\n");
  expect(await showTool(io, { client }, given)).toBe(EXIT.ok);
  expect(io.out()).toContain("hosts     eu.posthog.com; not enforced here");
  expect(io.out()).toContain("secrets   POSTHOG_API_KEY (not there, or not given to it)");
  expect(io.out()).toContain("from      workspace (new): asks for every call until you grant it");
});
