import { expect, test } from "vitest";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { openPage } from "./open-command.ts";
import { TEST_NOW, testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const URL = "http://127.0.0.1:18789/#t=ticket";

async function setUp(desktop: boolean) {
  const { client } = await testGateway({ "login.link": () => ({ url: URL, expiresAt: TEST_NOW + 600_000 }) });
  const opened: string[] = [];
  const browse = (url: string) => desktop && opened.push(url) > 0;
  return { deps: { client, home: "/state", clock: { now: () => TEST_NOW }, browse }, opened };
}

test("open opens a fresh link where there is a desktop, and prints it all the same", async () => {
  const { deps, opened } = await setUp(true);
  const io = testIo();
  expect(await openPage(io, deps, { browser: true, json: false })).toBe(EXIT.ok);
  expect(opened).toEqual([URL]);
  expect(io.out()).toBe(`${URL}\n`);
  expect(io.err()).toBe("Opened in your browser. It works once, within 10 min.\n");
});

test("open --no-browser opens nothing", async () => {
  const { deps, opened } = await setUp(true);
  const io = testIo();
  await openPage(io, deps, { browser: false, json: true });
  expect(opened).toEqual([]);
  expect(io.json()).toEqual({ url: URL, expiresAt: TEST_NOW + 600_000, opened: false });
});

test("open over ssh says how to reach the page from the other machine", async () => {
  const { deps } = await setUp(false);
  const io = testIo({ env: { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" } });
  await openPage(io, deps, { browser: true, json: false });
  expect(io.out()).toBe(`${URL}\n`);
  expect(io.err()).toContain("ssh -L 18789:127.0.0.1:18789");
});

test("open without a running gateway says how to start one", async () => {
  const { deps } = await setUp(true);
  const io = testIo();
  const code = await reporting(io, false, () =>
    openPage(io, { ...deps, client: undefined }, { browser: true, json: false }),
  );
  expect(code).toBe(EXIT.failed);
  expect(io.err()).toContain("Start it with: elwood up");
});

test("open shows a QR code for the phone where another device can reach the page, under https before others", async () => {
  const { deps } = await setUp(false);
  const io = testIo();
  const origins = ["http://nas.local:18789", "https://elwood.example"];
  await openPage(io, { ...deps, origins }, { browser: false, json: false, qr: true });
  expect(io.out()).toBe(`${URL}\n`);
  expect(io.err()).toContain("For your phone: point its camera at this. https://elwood.example/#t=ticket\n");
  expect(io.err()).toContain("\u001b[30;47m");
  // Where it listens on all addresses of this machine, one of them will do.
  const listens = testIo();
  const addresses = ["192.168.1.20", "10.8.0.2"];
  await openPage(listens, { ...deps, addresses }, { browser: false, json: false, qr: true });
  expect(listens.err()).toContain(`http://192.168.1.20:${new globalThis.URL(URL).port}/#t=ticket\n`);
  expect(listens.err()).not.toContain("No phone");
  const here = testIo();
  await openPage(here, deps, { browser: false, json: false, qr: true });
  expect(here.err()).toContain("No phone can reach this address");
  const pipe = testIo();
  await openPage(pipe, { ...deps, origins }, { browser: false, json: false });
  expect(pipe.err()).not.toContain("For your phone");
});
