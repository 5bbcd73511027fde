import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "@elwood/sdk/tool";
import { freePort } from "@elwood/testkit/gateway-process";
import { startMcpOAuth, type McpOAuthServer } from "@elwood/testkit/mcp-oauth-server";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScene, type McpScene } from "../../test/mcp/test-scene.ts";
import { makeGuardedFetch } from "../web/guarded-client.ts";
import { systemDialer } from "../web/system-dialer.ts";
import { declaredOnly } from "../web/declared-hosts.ts";

const setting = { ownPorts: () => [], ownHosts: [], ownOrigins: [] };
const fetchFrom = (origin: string) =>
  makeGuardedFetch({
    dialer: declaredOnly(systemDialer({ ...setting, allowedOrigins: [origin] }), [origin]),
    limits: {},
  });
/** The server's own origin, which the owner named, and the open web: no address of this machine. */
const fetchForLogin = (origin: string): typeof globalThis.fetch => {
  const own = fetchFrom(origin);
  const open = makeGuardedFetch({ dialer: systemDialer({ ...setting, allowedOrigins: [] }), limits: {} });
  return (input, init) =>
    (new URL(input instanceof Request ? input.url : input).origin === origin ? own : open)(input, init);
};

let server: McpOAuthServer;
let scene: McpScene;
beforeEach(async () => {
  server = await startMcpOAuth({ tools: [{ name: "echo" }] });
  scene = await openScene({ wiki: { url: server.url } }, { fetchFrom, fetchForLogin });
});
afterEach(async () => {
  await scene[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const file = () => join(scene.home, "mcp-logins", "wiki.json");
const logIn = async () => {
  const { url } = await scene.servers.beginLogin("wiki");
  await scene.servers.finishLogin("wiki", server.approve(url));
};
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (cause: unknown) => cause,
  );

test("a server that wants a login says so, and after it its tools are there; the tokens are only the owner's", async () => {
  await expect(scene.servers.test("wiki")).rejects.toThrow(/wants you to log in.*elwood mcp login wiki/);
  expect(scene.servers.view("wiki")).toMatchObject({ login: "needed" });
  await logIn();
  expect(scene.servers.view("wiki")).toMatchObject({ state: "running", login: "in" });
  expect(await scene.call("mcp-wiki.echo.call", {})).toMatchObject({ ok: true });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(statSync(join(scene.home, "mcp-logins")).mode & 0o777).toBe(0o700);
  expect(readFileSync(file(), "utf8")).toContain([...server.good][0]);
});

test("the browser comes back to an address of this machine, which takes one answer with the right state", async () => {
  const { url } = await scene.servers.beginLogin("wiki");
  const back = new URL(server.approve(url));
  expect(back.hostname).toBe("127.0.0.1");
  const wrong = new URL(back);
  wrong.searchParams.set("state", "guessed");
  const refused = await fetch(wrong);
  expect([refused.status, await refused.text()]).toEqual([
    400,
    "This answer belongs to no login of yours. Nothing was done.",
  ]);
  const answer = await fetch(back);
  expect([answer.status, await answer.text()]).toEqual([200, "You are logged in. You can close this page."]);
  expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'");
  await expect.poll(() => scene.servers.view("wiki").state).toBe("running");
  await expect(fetch(back)).rejects.toThrow();
});

test("a token that ran out is renewed within the call, and one that was revoked asks for a login; others go on", async () => {
  await logIn();
  server.good.clear();
  expect(await scene.call("mcp-wiki.echo.call", {})).toMatchObject({ ok: true });
  expect(server.asked.at(-1)).toBe("token refresh_token");
  server.good.clear();
  server.renews = false;
  const refused = await failure(scene.call("mcp-wiki.echo.call", {}));
  expect(refused).toBeInstanceOf(ToolError);
  expect(String(refused)).toContain("wants you to log in");
  expect(readFileSync(file(), "utf8")).not.toContain("token-");
});

test("a call that lacks a scope was not made; the next login asks for it and for what there was, also after a restart", async () => {
  Object.assign(server.scopes, { basic: "read", calls: "write" });
  const scopeOf = (url: string) => new URL(url).searchParams.get("scope");
  await failure(scene.servers.test("wiki"));
  const first = await scene.servers.beginLogin("wiki");
  expect(scopeOf(first.url)).toBe("read");
  await scene.servers.finishLogin("wiki", server.approve(first.url));
  const refused = await failure(scene.call("mcp-wiki.echo.call", {}));
  expect(refused).toBeInstanceOf(ToolError);
  expect(String(refused)).toMatch(/wants more permission.*\(write\)\. The call was not made\./);
  expect(scene.servers.view("wiki")).toMatchObject({ login: "needed" });
  await scene.servers.close();
  await using again = await openScene(
    { wiki: { url: server.url } },
    { fetchFrom, fetchForLogin, home: scene.home },
  );
  const second = await again.servers.beginLogin("wiki");
  expect(scopeOf(second.url)).toBe("read write");
  await again.servers.finishLogin("wiki", server.approve(second.url));
  expect(again.servers.view("wiki")).toMatchObject({ login: "in" });
  expect(await again.call("mcp-wiki.echo.call", {})).toMatchObject({ ok: true });
});

test("a login asks for the scopes that the owner named, not for what the server suggests, until a call lacks one", async () => {
  Object.assign(server.scopes, { basic: "everything", calls: "write" });
  await scene.servers.configure({ wiki: { url: server.url, oauth: { scopes: ["pages", "search"] } } });
  await failure(scene.servers.test("wiki"));
  const first = await scene.servers.beginLogin("wiki");
  expect(new URL(first.url).searchParams.get("scope")).toBe("pages search");
  await scene.servers.finishLogin("wiki", server.approve(first.url));
  await failure(scene.call("mcp-wiki.echo.call", {}));
  const second = await scene.servers.beginLogin("wiki");
  expect(new URL(second.url).searchParams.get("scope")).toBe("pages search write");
});

test("where nobody can register, the client that the owner registered logs in, and its secret stays in the settings", async () => {
  server.client = { id: "elwood-of-ann", secret: "its-secret" };
  expect(String(await failure(logIn()))).toContain("could not begin a login");
  const oauth = { id: "elwood-of-ann", secret: "its-secret", port: await freePort() };
  await scene.servers.configure({ wiki: { url: server.url, oauth } });
  const { url } = await scene.servers.beginLogin("wiki");
  expect(new URL(url).searchParams.get("client_id")).toBe("elwood-of-ann");
  expect(new URL(url).searchParams.get("redirect_uri")).toBe(`http://127.0.0.1:${oauth.port}/callback`);
  await scene.servers.finishLogin("wiki", server.approve(url));
  expect(await scene.call("mcp-wiki.echo.call", {})).toMatchObject({ ok: true });
  expect(readFileSync(file(), "utf8")).not.toContain("its-secret");
});

test.each([
  ["logins", { authorize: "http://127.0.0.1:9/steal" }, /no address with https/],
  ["codes", { token: "http://127.0.0.1:9/token" }, /does not connect to http:\/\/127\.0\.0\.1:9\/token/],
])("an authorization server that sends %s to this machine gets nothing", async (_what, endpoints, why) => {
  server.endpoints = endpoints;
  expect(String(await failure(logIn()))).toMatch(why);
  expect(server.good.size).toBe(0);
  expect(existsSync(file()) ? readFileSync(file(), "utf8") : "").not.toContain("access_token");
});

test("logging out removes the tokens, and a server that is removed leaves none", async () => {
  await logIn();
  await scene.servers.logout("wiki");
  expect(existsSync(file())).toBe(false);
  await logIn();
  await scene.servers.configure({});
  expect(existsSync(file())).toBe(false);
});

test("a login that was refused, or belongs to nothing, changes nothing", async () => {
  const { url } = await scene.servers.beginLogin("wiki");
  await expect(scene.servers.finishLogin("wiki", "https://evil.example/callback?code=1")).rejects.toThrow(
    /not the address that the login ends at/,
  );
  const back = new URL(server.approve(url));
  back.searchParams.delete("code");
  back.searchParams.set("error", "access_denied");
  await expect(scene.servers.finishLogin("wiki", back.href)).rejects.toThrow(/access_denied/);
  await expect(scene.servers.finishLogin("wiki", back.href)).rejects.toThrow(/No login is under way/);
  expect(scene.servers.view("wiki")).not.toMatchObject({ login: "in" });
});
