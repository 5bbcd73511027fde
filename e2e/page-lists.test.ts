import { gate } from "@elwood/testkit/answers";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BROWSER_PATH, closeTabs, launchBrowser, openTab } from "./page-browser.ts";
import { connected, logIn } from "./page-talk.ts";
import { bendAnswers } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)("lists of a slow gateway (ELWOOD_TEST_BROWSER names a browser)", () => {
  let browser: Browser;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    [browser, gateway] = await Promise.all([launchBrowser(), startGatewayProcess()]);
  });
  afterAll(async () => {
    await closeTabs(browser);
    await gateway?.kill();
  });

  test("a page of receipts that comes after something else was asked for is not put below it", async () => {
    const door = gate();
    const asked: unknown[] = [];
    const receipts = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...RECEIPT, seq: from - i, id: `rcp_${from - i}` }));
    await using tab = await openTab(browser);
    const { page } = tab;
    await bendAnswers(page, (method, { before, status, after }) => {
      if (method !== "receipts.list" || after !== undefined) return undefined;
      asked.push(before);
      if (before !== undefined) return door.opened.then(() => ({ result: { receipts: receipts(800, 200) } }));
      if (status !== undefined) return { result: { receipts: receipts(7, 1) } };
      return { result: { receipts: receipts(1_000, 200), next: 801 } };
    });
    await logIn(page, `${gateway.url}/receipts`, gateway.token);
    await page.locator(`.receipt-row[title^="#1000 "]`).waitFor();
    await page.locator(".receipt-list").evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
    await expect.poll(() => asked).toContain(801);
    await page.getByLabel("Outcome").selectOption("failed");
    await page.locator(`.receipt-row[title^="#7 "]`).waitFor();
    door.open();
    // What came late has been heard once this is answered.
    await page.getByRole("button", { name: "Verify in this browser" }).click();
    await page.locator(".verdict").waitFor();
    expect(await page.locator(".receipt-row").count()).toBe(1);
  });

  test("calls of a tool of which not all were counted are told as so many or more", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    await bendAnswers(page, (method, { toolId, status }) => {
      if (method !== "receipts.list" || toolId === undefined) return undefined;
      const counted = Array.from({ length: 200 }, (_, i) => ({
        ...RECEIPT,
        seq: 900 - i,
        callId: `call_${i}`,
      }));
      if (status === "succeeded") return { result: { receipts: counted, next: 700 } };
      return { result: { receipts: status === "denied" ? counted.slice(0, 3) : [] } };
    });
    await logIn(page, `${gateway.url}/tools/files.file.read`, gateway.token);
    const outcomes = page.locator(".tool-outcome");
    await outcomes.first().waitFor();
    expect((await outcomes.allInnerTexts()).map((text) => text.replace(/\s+/g, " "))).toEqual([
      "done 200+",
      "denied 3",
    ]);
  });

  test("the log asks again only once it was answered, so that no line stands there twice", async () => {
    await using tab = await openTab(browser);
    const { page } = tab;
    let asked = 0;
    await bendAnswers(page, (method) => {
      if (method !== "gateway.logs") return undefined;
      asked += 1;
      return "held";
    });
    await logIn(page, gateway.url, gateway.token);
    await page.clock.install();
    await page.goto(`${gateway.url}/doctor?show=log`);
    await connected(page);
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await expect.poll(() => asked).toBe(1);
    await page.clock.runFor(9_000);
    expect(asked).toBe(1);
  });
});

const RECEIPT = {
  v: 1,
  tenant: "default",
  runId: "",
  type: "auth.accepted",
  ts: 0,
  actor: "owner",
  surface: "web",
  payload: {},
  prevHash: "",
  hash: "",
};
