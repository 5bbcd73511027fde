import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, openSession, send } from "./conversation.ts";
import { BROWSER_PATH, launchBrowser, openTab, type Tab } from "./page-browser.ts";
import { axeFaults, layoutFaults } from "./page-checks.ts";
import { alreadyBack, broken, connected, logIn } from "./page-talk.ts";
import { bendAnswers, refused, type Bent } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)("every page (ELWOOD_TEST_BROWSER names a browser)", () => {
  const home = temporaryHome();
  let browser: Browser;
  let gateway: GatewayProcess;
  let start: () => Promise<GatewayProcess>;
  let tab: Tab;
  let page: Page;
  /** Each page by its address, and something that is there once it is drawn. */
  let pages: [path: string, drawn: string][];

  beforeAll(async () => {
    const port = await freePort();
    start = () => startGatewayProcess({ home: home.path, port, config: "policy:\n  mode: strict\n" });
    [browser, gateway] = await Promise.all([launchBrowser(), start()]);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    await ask(wire, await openSession(wire), "list my files");
    const runId = await send(wire, await openSession(wire), "write 'milk' to shopping.txt");
    const asked = await wire.until((f) => f.event === "exec.approval_request");
    const { receipts } = (await wire.result("receipts.list", { limit: 1 })) as { receipts: { id: string }[] };
    await wire.close();
    pages = [
      ["/approvals", ".approval, .queue-row"],
      ["/approvals?show=history", ".empty-state, .history-row"],
      ["/approvals?show=grants", ".empty-state"],
      [`/approvals/${String(asked.data!["approvalId"])}`, ".approval"],
      ["/runs", ".run-row"],
      [`/runs/${runId}`, ".timeline-row"],
      [`/runs/${runId}?show=events`, ".event-row"],
      [`/runs/${runId}?show=evidence`, ".evidence-list"],
      [`/runs/${runId}?show=raw`, ".run-raw pre"],
      ["/receipts", ".receipt-row"],
      [`/receipts/${receipts[0]!.id}`, ".receipt-part"],
      ["/tools", ".tool-row"],
      ["/tools/files.file.write", ".try-call"],
      ["/usage", ".stat"],
      ["/connections", ".empty-state button"],
      ["/settings", ".table"],
      ["/nonsense", ".empty-state"],
      ["/doctor", ".finding"],
      ["/doctor?show=log", ".log-line"],
    ];
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, gateway.url, gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await gateway?.kill();
    await browser?.close();
    home.remove();
  });

  async function show(path: string, drawn: string): Promise<void> {
    await page.goto(`${gateway.url}${path}`);
    await page.locator(drawn).first().waitFor();
  }

  test("has no fault that axe finds, light and dark, and none in its layout from 360 to 2,560 px", async () => {
    for (const [path, drawn] of pages) {
      await show(path, drawn);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const look = colorScheme === "light" ? "all" : "colours";
        expect.soft(await axeFaults(page, look), `${path}, ${colorScheme}`).toEqual([]);
      }
      for (const width of [360, 390, 768, 900, 1280, 2_560]) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator(drawn).first().waitFor();
        expect.soft(await page.evaluate(layoutFaults), `${path}, ${width} px`).toEqual([]);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      expect.soft(await axeFaults(page, "shape"), `${path}, narrow`).toEqual([]);
      await page.setViewportSize({ width: 1_280, height: 720 });
    }
    expect(tab.faults).toEqual([]);
  }, 120_000);

  test("is walked by the Tab key alone: every control is reached, seen, and left again", async () => {
    for (const [path, drawn] of pages) {
      await show(path, drawn);
      const wanted = await page.evaluate(controls);
      const reached = new Set<string>();
      for (let i = 0; i < wanted.length * 2 + 20 && reached.size < wanted.length; i++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(focusedControl);
        if (at !== undefined) reached.add(at);
      }
      expect
        .soft(
          wanted.filter((each) => !reached.has(each.split(" ", 1)[0]!)),
          path,
        )
        .toEqual([]);
    }
  }, 120_000);

  test("comes back by itself when the gateway was away, without a word lost or a fault", async () => {
    for (const [path, drawn] of pages.filter((_, i) => i % 3 === 0)) {
      await show(path, drawn);
      await gateway.kill();
      await broken(page);
      expect(await page.locator(drawn).count()).toBeGreaterThan(0);
      gateway = await start();
      await page.getByRole("button", { name: "Retry now" }).click({ timeout: 1_000 }).catch(alreadyBack);
      await connected(page);
      await page.locator(drawn).first().waitFor();
    }
    expect(tab.faults).toEqual([]);
  });

  const LISTS: [path: string, method: string, empty: unknown, says: string][] = [
    ["/approvals?show=history", "approvals.list", { approvals: [] }, "Nothing was decided yet."],
    ["/approvals?show=grants", "grants.list", { grants: [] }, "No standing permissions."],
    ["/runs", "runs.list", { runs: [] }, "Nothing has run yet."],
    ["/receipts", "receipts.list", { receipts: [] }, "No receipt fits."],
    ["/tools", "tools.list", { tools: [] }, "There are no tools."],
    ["/connections", "auth.list", { profiles: [] }, "No credential is stored."],
    ["/connections", "tokens.list", { tokens: [] }, "No token was made."],
    ["/doctor", "gateway.doctor", undefined, ""],
    ["/usage", "usage.summary", undefined, ""],
  ];

  test("with a list says when it loads, when it is empty, and when it could not be had, with a way to try again", async () => {
    await using other = await openTab(browser);
    let now: [string, Bent] | undefined;
    await bendAnswers(other.page, (method) => (now?.[0] === method ? now[1] : undefined));
    await logIn(other.page, gateway.url, gateway.token);
    for (const [path, method, empty, says] of LISTS) {
      now = [method, "held"];
      await other.page.goto(`${gateway.url}${path}`);
      await other.page.locator(".skeleton").first().waitFor();
      now = [method, refused("The disk is on fire.")];
      await other.page.goto(`${gateway.url}${path}`);
      const alert = other.page.getByRole("alert").filter({ hasText: "The disk is on fire." }).first();
      await alert.waitFor();
      now = empty === undefined ? undefined : [method, { result: empty }];
      // It may have been asked for anew by then, by the page itself.
      await alert.getByRole("button", { name: "Try again" }).click({ timeout: 2_000 }).catch(alreadyBack);
      await alert.waitFor({ state: "detached" });
      if (says !== "") await other.page.getByText(says).waitFor();
    }
    expect(other.faults).toEqual([]);
  });

  test("ten thousand receipts, and runs, cost what thirty do, and are walked to their end", async () => {
    await using other = await openTab(browser);
    await bendAnswers(other.page, (method, params) => {
      if (method === "receipts.list") return { result: receiptsPage(params) };
      return method === "runs.list" ? { result: runsPage(params) } : undefined;
    });
    await logIn(other.page, `${gateway.url}/receipts`, gateway.token);
    for (const [path, row] of [
      ["/receipts", ".receipt-row"],
      ["/runs", ".run-row"],
    ] as const) {
      await other.page.goto(`${gateway.url}${path}`);
      await other.page.locator(row).first().waitFor();
      await other.page.locator(".row").first().focus();
      const size = () => other.page.locator(".row").first().getAttribute("aria-setsize");
      for (let i = 0; i < 300 && Number(await size()) < 10_000; i++) {
        const before = await size();
        await other.page.keyboard.press("End");
        await expect.poll(size).not.toBe(before);
      }
      await other.page.keyboard.press("End");
      await other.page.locator('.row[data-index="9999"]:focus').waitFor();
      expect(await other.page.locator(".row").count()).toBeLessThan(80);
      await other.page.keyboard.press("Home");
      await other.page.locator('.row[data-index="0"]:focus').waitFor();
    }
    expect(other.faults).toEqual([]);
  }, 120_000);
});

const ALL = 10_000;
const LONG_AGO = 1_700_000_000_000;
const RECEIPT = {
  v: 1,
  tenant: "default",
  runId: "",
  actor: "owner",
  surface: "web",
  type: "auth.accepted",
  payload: { name: "x" },
  prevHash: "0",
  hash: "0",
};
const RUN = {
  sessionKey: "ses_1",
  status: "done",
  surface: "web",
  attempt: 1,
  calls: 0,
  queuedAt: LONG_AGO,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
};

function receiptsPage({ before = ALL + 1, limit = 200 }: { before?: number; limit?: number }) {
  const receipts = Array.from({ length: Math.min(limit, before - 1) }, (_, i) => {
    const seq = before - 1 - i;
    return { ...RECEIPT, id: `rcp_${seq}`, seq, ts: LONG_AGO + seq };
  });
  const last = receipts.at(-1)?.seq ?? 1;
  return { receipts, ...(last > 1 ? { next: last } : {}) };
}

function runsPage({ before, limit = 100 }: { before?: string; limit?: number }) {
  const from = before === undefined ? ALL : Number(before) - 1;
  const runs = Array.from({ length: Math.min(limit, from) }, (_, i) => ({
    ...RUN,
    runId: String(from - i),
    summary: `run ${from - i}`,
  }));
  const last = from - runs.length + 1;
  return { runs, ...(last > 1 ? { next: String(last) } : {}) };
}

/** Runs in the page: every control that is not one of many in a list that arrow keys walk. */
function controls(): string[] {
  const all = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary");
  return [...all].flatMap((element, i) => {
    element.dataset["walk"] = String(i);
    const passive = !element.checkVisibility() || element.tabIndex < 0 || element.matches(":disabled");
    if (passive || element.closest("elwood-row-window, [popover]")) return [];
    // Of radio buttons of one name only the checked one is a stop.
    if (element instanceof HTMLInputElement && element.type === "radio" && !element.checked) return [];
    return [`${i} ${element.tagName} ${element.textContent?.trim().slice(0, 40)}`];
  });
}

/** Runs in the page: which of them has the focus; undefined where it is none, or cannot be seen. */
function focusedControl(): string | undefined {
  const at = document.activeElement;
  if (!(at instanceof HTMLElement) || at.dataset["walk"] === undefined) return undefined;
  const { width, height } = at.getBoundingClientRect();
  // Its number alone: a count may have come into its words meanwhile.
  return width === 0 || height === 0 ? undefined : at.dataset["walk"];
}
