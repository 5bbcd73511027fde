import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { GatewayClient } from "@elwood/sdk/client";
import { CaldavServer } from "@elwood/testkit/caldav-server";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { integrationFolders } from "../../src/integrations/integration-folders.ts";
import { IntegrationService } from "../../src/integrations/integration-service.ts";
import { scaffoldIntegration } from "../../src/integrations/scaffold-integration.ts";
import { startTestGateway, type StartedGateway } from "../test-gateway.ts";

const QUERY = "POST /api/projects/12345/query/";
const posthog = { name: "posthog" } as const;

describe("integrations of a running gateway", () => {
  let service: LoopbackServer;
  let started: StartedGateway;
  let client: GatewayClient;
  beforeAll(async () => {
    service = await new LoopbackServer().start();
    service.always(QUERY, (exchange) => {
      const known = exchange.request.headers["authorization"] === "Bearer phx_right_key_0123456789";
      exchange.head(known ? 200 : 401, { "content-type": "application/json" });
      exchange.end(JSON.stringify({ results: [[1, 2]] }));
    });
    started = await startTestGateway({ config: "# mine\ntimeZone: Europe/Berlin\n" });
    client = await GatewayClient.connect({
      url: started.gateway.url,
      token: started.gateway.ownerToken,
      client: { name: "test", version: "1" },
    });
  });
  afterAll(async () => {
    await client.close();
    await started[Symbol.asyncDispose]();
    await service.close();
  });
  const settings = () => ({ host: service.url, project: "12345" });
  const file = (name: string) => readFileSync(join(started.home, name), "utf8");
  const tools = async () =>
    (await client.call("tools.list", {})).tools.filter(({ toolId }) => toolId.startsWith("posthog."));

  test("OA-13: each is found by its folder, and says what it can do, what it needs and where it goes", async () => {
    const { integrations } = await client.call("integrations.list", {});
    const names = integrations.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(integrations.find(({ name }) => name === "posthog")).toMatchObject({
      state: "new",
      title: "PostHog",
      can: expect.arrayContaining([expect.stringContaining("visitors")]),
      secrets: [{ key: "apiKey", variable: "POSTHOG_API_KEY", isSet: false }],
      tools: [],
    });
    expect(await tools()).toEqual([]);
    for (const method of ["integrations.enable", "integrations.test"] as const)
      await expect(client.call(method, posthog)).rejects.toThrow(
        /not set up.*elwood integrations setup posthog/,
      );
  });

  test("one that the service refuses is not stored, and neither is its secret", async () => {
    const before = file("config.yaml");
    const setup = client.call("integrations.setup", {
      ...posthog,
      settings: settings(),
      secrets: { apiKey: "phx_wrong_key_0123456789" },
    });
    await expect(setup).rejects.toThrow(/does not know this API key.*Nothing was changed/);
    expect(file("config.yaml")).toBe(before);
    expect(() => file("secrets.env")).toThrow();
  });

  test.each([
    [{ settings: {}, secrets: {} }, /needs “Server”/],
    [{ settings: { host: "https://a.example", project: "12345" }, secrets: {} }, /needs “Personal API key”/],
    [{ settings: { hots: "x" }, secrets: {} }, /no setting "hots"/],
    [{ settings: { apiKey: "x" }, secrets: {} }, /no setting "apiKey"/],
    [{ settings: { host: "no", project: "1" }, secrets: { apiKey: "x" } }, /must be an address/],
    [
      { settings: { host: "https://a.example", project: "1" }, secrets: { apiKey: "${UNSET}" } },
      /UNSET is not set/,
    ],
  ])("what is missing or misspelt in %j is told before anything is sent", async (given, words) => {
    const count = service.requests.length;
    await expect(client.call("integrations.setup", { ...posthog, ...given })).rejects.toThrow(words);
    expect(service.requests.length).toBe(count);
  });

  test("one that works is stored, the secret apart from the settings, and its tools are there at once", async () => {
    const { integration, account } = await client.call("integrations.setup", {
      ...posthog,
      settings: settings(),
      secrets: { apiKey: "phx_right_key_0123456789" },
    });
    expect(account).toContain("project 12345");
    expect(integration).toMatchObject({
      state: "on",
      hosts: [service.url],
      tools: [{ toolId: "posthog.analytics.getVisitors", risk: "read" }, { risk: "write" }],
    });
    expect(JSON.stringify(integration)).not.toContain("phx_right");
    expect(file("config.yaml")).toContain("# mine");
    expect(file("config.yaml")).toContain("apiKey: ${POSTHOG_API_KEY}");
    expect(file("config.yaml")).not.toContain("phx_right");
    expect(file("secrets.env")).toContain("POSTHOG_API_KEY=phx_right_key_0123456789");
    expect(statSync(join(started.home, "secrets.env")).mode & 0o777).toBe(0o600);
    expect((await tools()).map(({ toolId }) => toolId)).toEqual([
      "posthog.analytics.getVisitors",
      "posthog.monitor.createThresholdJob",
    ]);
    expect(await client.call("integrations.test", posthog)).toMatchObject({ ok: true });
  });

  test("setting it up again without its secret keeps that, and changes nothing else", async () => {
    const before = file("config.yaml");
    await client.call("integrations.setup", { ...posthog, settings: { project: "12345" } });
    expect(file("config.yaml")).toBe(before);
  });

  test("switched off its tools are gone and nothing is forgotten; switched on they are back", async () => {
    const off = await client.call("integrations.disable", posthog);
    expect(off.integration).toMatchObject({ state: "off", tools: [], secrets: [{ isSet: true }] });
    expect(await tools()).toEqual([]);
    const on = await client.call("integrations.enable", posthog);
    expect(on.integration.state).toBe("on");
    expect(await tools()).toHaveLength(2);
    expect(file("config.yaml")).not.toContain("enabled");
  });

  test("names with spaces stay whole in a list, and a setting that is emptied goes", async () => {
    const server = await new CaldavServer({ calendars: { family: "Our family", work: "Work" } }).start();
    onTestFinished(() => server.close());
    const setup = (calendars: string) =>
      client.call("integrations.setup", {
        name: "calendar",
        settings: { url: server.url, username: "ada", calendars },
        secrets: { password: "app-password" },
      });
    const used = ({ integration }: Awaited<ReturnType<typeof setup>>) =>
      integration.settings.find(({ key }) => key === "calendars")?.value;
    expect(used(await setup("Our family, Work"))).toEqual(["Our family", "Work"]);
    expect(used(await setup(""))).toBeUndefined();
    expect(file("config.yaml")).not.toContain("Our family");
  });

  test("an unknown name is told with those there are", async () => {
    await expect(client.call("integrations.test", { name: "fridge" })).rejects.toThrow(/There are .*posthog/);
  });

  test("a program without the scope admin may not look", async () => {
    const { token } = await client.call("tokens.create", { name: "p", scopes: ["chat"] });
    const program = await GatewayClient.connect({
      url: started.gateway.url,
      token,
      client: { name: "p", version: "1" },
    });
    await expect(program.call("integrations.list", {})).rejects.toThrow(/scope "admin"/);
    await program.close();
  });
});

test("one that lacks its variable, or is none at all, is told and keeps nothing else from working", async () => {
  await using started = await startTestGateway({
    config: [
      "integrations:",
      "  posthog: { host: 'https://eu.posthog.com', project: '1', apiKey: '${NOT_SET_HERE}' }",
      "  fridge: { door: open }",
      "",
    ].join("\n"),
  });
  const client = await GatewayClient.connect({
    url: started.gateway.url,
    token: started.gateway.ownerToken,
    client: { name: "test", version: "1" },
  });
  onTestFinished(() => client.close());
  const { integrations } = await client.call("integrations.list", {});
  expect(integrations.find(({ name }) => name === "posthog")).toMatchObject({
    state: "broken",
    problem: expect.stringContaining("NOT_SET_HERE is not set"),
  });
  const { tools, problems = [] } = await client.call("tools.list", {});
  expect(tools.some(({ toolId }) => toolId === "files.file.read")).toBe(true);
  expect(problems.join("\n")).toMatch(/PostHog cannot be used.*elwood integrations setup posthog/);
  expect(problems.join("\n")).toContain("no integration of that name");
});

test("a new folder is an integration, without a change in any other file", async () => {
  // Beside the build: there the SDK is found, and no other test looks.
  const dist = fileURLToPath(new URL("../../../cli/dist", import.meta.url));
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, "integrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { path, text } of scaffoldIntegration("weather")) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const service = await new LoopbackServer().start();
  onTestFinished(() => service.close());
  service.always("GET /account", (exchange) => {
    exchange.head(200);
    exchange.end('{"title":"me"}');
  });
  const loaded = await loadConfig({
    env: { ELWOOD_HOME: folder },
    cwd: folder,
    draft: {
      text: `integrations: { weather: { url: "${service.url}", token: "\${WEATHER_API_TOKEN}" } }`,
      secrets: new Map([["WEATHER_API_TOKEN", "a-token"]]),
    },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const integrations = new IntegrationService({
    folders: integrationFolders(folder),
    loaded: loaded.value,
    web: { fetchAmong: () => globalThis.fetch },
    clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
  } as unknown as ConstructorParameters<typeof IntegrationService>[0]);
  const { tools } = await integrations.group();
  expect(tools.map(({ id, hosts }) => ({ id, hosts }))).toEqual([
    { id: "weather.item.get", hosts: [service.url] },
  ]);
  expect(await integrations.test("weather")).toEqual({ ok: true, account: "me", notes: [] });
});
