import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  exportActions,
  importActions,
  listActions,
  rollbackAction,
  runAction,
  showAction,
} from "./actions-command.ts";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const action = {
  name: "support",
  trn: "trn:elwood:default:action/llm/support@v2",
  version: 2,
  newest: 3,
  kind: "llm" as const,
  task: "chat" as const,
  source: "stored" as const,
  model: "gpt-4o\u001b[2J-mini",
  updatedAt: 0,
};
const answer = {
  id: "e",
  action: action.trn,
  text: "Hello\u001b[2J there",
  tool_calls: [],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
  cost: 0,
  model_info: { provider: "p", model: "m", finish_reason: "stop" as const },
};

const gateway = () =>
  testGateway({
    "actions.list": () => ({ actions: [action] }),
    "actions.get": () => ({
      action,
      spec: { system: "Be brief." },
      input: {},
      versions: [
        { version: 2, createdAt: 0, by: "laptop" },
        { version: 1, createdAt: 0, by: "config.yaml" },
      ],
    }),
    "actions.import": ({ dryRun = false }) => ({
      dryRun,
      entries: [{ type: "action", name: "support", trn: action.trn, what: "created", diff: ["+kind: http"] }],
      leftOut: ["shop.yaml:3 was left out: its body is not JSON"],
    }),
    "actions.export": () => ({ text: "actions: {}\n" }),
    "actions.rollback": () => ({ action }),
    "actions.execute": () => answer,
  });

test("actions list and show say what there is, and what others wrote cannot command the terminal", async () => {
  const io = testIo();
  const { client } = await gateway();
  expect(await listActions(io, client, false)).toBe(EXIT.ok);
  expect(await showAction(io, client, { name: "support", version: "latest", json: false })).toBe(EXIT.ok);
  expect(io.out()).toMatch(/^NAME +VERSION +TASK +MODEL +BY\nsupport +v2 +chat +gpt-4o.*-mini +stored\n/);
  expect(io.out()).toContain("system: Be brief.");
  expect(io.out()).toContain("Versions: v2 by laptop, v1 by config.yaml");
  expect(io.out()).not.toContain("\u001b");
});

test("actions import sends the file under its own name, as what it is, and tells what changed and what was left out", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-actions-"));
  const file = join(folder, "shop.yaml");
  writeFileSync(file, "openapi: 3.1.0\n");
  const io = testIo();
  const { client, calls } = await gateway();
  const given = { file, openapi: true, strategy: "AlwaysBump" as const, dryRun: false, json: false };
  expect(await importActions(io, client, given)).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({
    text: "openapi: 3.1.0\n",
    file: "shop.yaml",
    format: "openapi",
    strategy: "AlwaysBump",
    dryRun: false,
  });
  expect(io.out()).toBe(
    `created: action ${action.trn}\n  +kind: http\nshop.yaml:3 was left out: its body is not JSON\nEach asks for every call until you have looked at it: elwood tools grant action.http.NAME\n`,
  );
  const dry = testIo();
  await importActions(dry, client, { ...given, openapi: false, dryRun: true });
  expect(dry.out()).toMatch(/^would be created: /);
  await expect(importActions(io, client, { ...given, file: join(folder, "no.yaml") })).rejects.toThrow(
    /There is no file .*no\.yaml\. Nothing was imported\./,
  );
  rmSync(folder, { recursive: true });
});

test("actions run sends a message or a whole input, and prints the answer; rollback and export do what they say", async () => {
  const io = testIo();
  const { client, calls } = await gateway();
  const named = { name: "support", version: "latest", json: false };
  await runAction(io, client, { ...named, message: "hi", input: undefined });
  expect(calls.at(-1)?.params).toEqual({
    name: "support",
    version: "latest",
    input: { messages: [{ role: "user", content: "hi" }] },
  });
  await runAction(io, client, { ...named, message: undefined, input: '{"inputs":["a"]}' });
  expect(calls.at(-1)?.params).toMatchObject({ input: { inputs: ["a"] } });
  expect(io.out()).toMatch(/^Hello.* there\n/);
  expect(io.out()).not.toContain("\u001b");
  await expect(runAction(io, client, { ...named, message: undefined, input: "{" })).rejects.toThrow(
    /not valid JSON/,
  );
  expect(await rollbackAction(io, client, { name: "support", version: "v2", json: false })).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({ name: "support", version: 2 });
  await expect(rollbackAction(io, client, { name: "support", version: "x", json: false })).rejects.toThrow(
    /no version/,
  );
  expect(await exportActions(io, client, ["support"])).toBe(EXIT.ok);
  expect(io.out()).toMatch(/support is at v2 now; its newest is v3\.\nactions: \{\}\n$/);
});
