import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { WireIntegration } from "@elwood/core/protocol/integration-shapes";
import {
  listIntegrations,
  setupIntegration,
  switchIntegration,
  testIntegration,
} from "./integrations-command.ts";
import { EXIT } from "./io.ts";
import { newIntegration } from "./tools-own-command.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const calendar: WireIntegration = {
  name: "calendar",
  title: "Calendar",
  summary: "Your events.",
  can: ["Tell what is on."],
  state: "on",
  settings: [{ key: "url", title: "Server", kind: "address", required: true }],
  secrets: [
    { key: "password", title: "Password", variable: "CALENDAR_PASSWORD", required: true, isSet: true },
  ],
  hosts: ["https://dav.example.com"],
  tools: [{ toolId: "calendar.event.list", risk: "read" }],
};
const broken: WireIntegration = {
  ...calendar,
  name: "github",
  title: "GitHub",
  state: "broken",
  problem: "no\u001b[2J token.",
  tools: [],
};

test("integrations list shows each, and on standard error what is wrong with one", async () => {
  const { client } = await testGateway({ "integrations.list": () => ({ integrations: [calendar, broken] }) });
  const io = testIo();
  expect(await listIntegrations(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toMatch(/calendar +on +1 +Your events\./);
  expect(io.out()).toMatch(/github +not working/);
  expect(io.err()).toContain("GitHub: no");
  expect(io.err()).not.toContain("\u001b[2J");
});

test("integrations setup sends what the flags say, a variable by its name, and tells which tools there are", async () => {
  const { client, calls } = await testGateway({
    "integrations.list": () => ({ integrations: [calendar] }),
    "integrations.setup": () => ({
      integration: calendar,
      account: "me at dav.example.com",
      notes: ["2 calendars"],
    }),
  });
  const io = testIo();
  const flags = { set: ["url=https://dav.example.com/?a=b"], secretEnv: ["DAV_PASSWORD"], json: false };
  expect(await setupIntegration(io, { client }, "calendar", flags)).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({
    name: "calendar",
    settings: { url: "https://dav.example.com/?a=b" },
    secrets: { password: "${DAV_PASSWORD}" },
  });
  expect(io.out()).toContain("Calendar works: me at dav.example.com\n2 calendars\n");
  expect(io.out()).toContain("calendar.event.list  read");
});

test.each([
  [{ set: ["url"] }, "--set takes key=value"],
  [{ secretEnv: ["not a name"] }, "--secret-env takes the name of a variable"],
])("integrations setup refuses %j, and changes nothing", async (flags, words) => {
  const { client, calls } = await testGateway({ "integrations.list": () => ({ integrations: [calendar] }) });
  await expect(setupIntegration(testIo(), { client }, "calendar", { ...flags, json: false })).rejects.toThrow(
    words,
  );
  await expect(setupIntegration(testIo(), { client }, "fridge", { json: false })).rejects.toThrow(
    "There are calendar",
  );
  expect(calls.every(({ method }) => method === "integrations.list")).toBe(true);
});

test("integrations test, enable and disable say what came of it", async () => {
  const { client } = await testGateway({
    "integrations.test": ({ name }) =>
      name === "calendar" ? { ok: true, account: "me", notes: [] } : { ok: false, problem: "No answer." },
    "integrations.enable": () => ({ integration: calendar }),
    "integrations.disable": () => ({ integration: { ...calendar, state: "off" as const, tools: [] } }),
  });
  const io = testIo();
  expect(await testIntegration(io, { client }, { name: "calendar", json: false })).toBe(EXIT.ok);
  expect(await testIntegration(io, { client }, { name: "github", json: false })).toBe(EXIT.failed);
  expect(io.err()).toContain("No answer.");
  expect(await switchIntegration(io, { client }, { name: "calendar", on: false, json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("integrations enable calendar");
  expect(await switchIntegration(io, { client }, { name: "calendar", on: true, json: true })).toBe(EXIT.ok);
  expect(io.out()).toContain('"state":"on"');
});

test("tools new --integration writes a whole folder once, and never over another", async () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-integration-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const io = testIo();
  expect(await newIntegration(io, folder, { name: "weather", json: false })).toBe(EXIT.ok);
  expect(readdirSync(join(folder, "weather")).toSorted()).toEqual([
    "README.md",
    "client.ts",
    "index.ts",
    "manifest.json",
    "package.json",
    "schemas.ts",
    "weather.test.ts",
  ]);
  expect(io.out()).toContain("elwood integrations setup weather");
  await expect(newIntegration(io, folder, { name: "weather", json: false })).rejects.toThrow("left alone");
  await expect(newIntegration(io, folder, { name: "../x", json: false })).rejects.toThrow(
    "Nothing was written",
  );
});
