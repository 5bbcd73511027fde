import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testContext, type ToolDefinition } from "@elwood/sdk/tool";
import { CaldavServer } from "@elwood/testkit/caldav-server";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { integrationFolders } from "../../src/integrations/integration-folders.ts";
import { IntegrationService } from "../../src/integrations/integration-service.ts";
import { makeWebAccess } from "../../src/web/web-access.ts";

/** Integrations as a gateway opens them, with the guarded client as their way out. */
async function opened(text: string, secrets: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), "elwood-guarded-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const draft = { text, secrets: new Map(Object.entries(secrets)) };
  const loaded = await loadConfig({ env: { ELWOOD_HOME: home }, cwd: home, draft });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const service = new IntegrationService({
    folders: integrationFolders(),
    loaded: loaded.value,
    web: makeWebAccess(loaded.value, () => undefined),
    clock: { now: () => Date.UTC(2026, 10, 16), sleep: () => new Promise(() => undefined) },
  } as unknown as ConstructorParameters<typeof IntegrationService>[0]);
  const { tools, problems } = await service.group();
  const call = async (id: string, input: object) => {
    const tool = tools.find((each: ToolDefinition) => each.id === id)!;
    const parsed = (tool.input as { parse(value: unknown): unknown }).parse(input);
    return (await tool.handler(parsed, testContext())) as { value: { id: string; events: unknown[] } };
  };
  return { service, problems, call };
}

test("a calendar of the owner's own network is read and changed through the guarded client", async () => {
  const server = await new CaldavServer().start();
  onTestFinished(() => server.close());
  const { service, problems, call } = await opened(
    `timeZone: Europe/Berlin\nintegrations: { calendar: { url: "${server.url}", username: ada, home: "${server.url}/dav/ada/", password: "\${CALENDAR_PASSWORD}" } }`,
    { CALENDAR_PASSWORD: "app-password" },
  );
  expect(problems).toEqual([]);
  expect(await service.test("calendar")).toMatchObject({
    ok: true,
    account: expect.stringContaining("ada at"),
  });
  // Read in again for another reason, it is the same one, with what it has learnt of the calendar.
  const [first] = (await service.group()).tools;
  expect((await service.group()).tools[0]).toBe(first);
  const { value } = await call("calendar.event.create", { title: "Dentist", start: "2026-11-20T14:00" });
  const week = { from: "2026-11-20", to: "2026-11-21" };
  expect((await call("calendar.event.list", week)).value.events).toHaveLength(1);
  await call("calendar.event.delete", { event: value.id });
  expect((await call("calendar.event.list", week)).value.events).toEqual([]);
});

test("a place that was found out, and is one of the owner's own machines, is not reached", async () => {
  const server = await new CaldavServer().start();
  onTestFinished(() => server.close());
  const { service } = await opened(
    `integrations: { calendar: { url: "https://caldav.example.com/", username: ada, home: "${server.url}/dav/ada/", password: "\${CALENDAR_PASSWORD}" } }`,
    { CALENDAR_PASSWORD: "app-password" },
  );
  expect(await service.test("calendar")).toMatchObject({ ok: false });
  expect(server.requests).toEqual([]);
});
