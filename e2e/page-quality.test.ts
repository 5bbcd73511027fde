import { gate } from "@elwood/testkit/answers";
import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ask, ending, openSession, send } from "./conversation.ts";
import {
  BROWSER_PATH,
  closeTabs,
  launchBrowser,
  openTab,
  resize,
  settled,
  type Tab,
} from "./page-browser.ts";
import { axeFaults, boxFaults, layoutFaults } from "./page-checks.ts";
import { alreadyBack, broken, connected, logIn } from "./page-talk.ts";
import { bendAnswers, refused, type Bent } from "./page-wire.ts";

describe.skipIf(!BROWSER_PATH)("every page (ELWOOD_TEST_BROWSER names a browser)", () => {
  const home = temporaryHome();
  let browser: Browser;
  let gateway: GatewayProcess;
  let start: () => Promise<GatewayProcess>;
  let tab: Tab;
  let page: Page;
  /** What is there to be looked at. */
  const there = { run: "", approval: "", receipt: "" };

  beforeAll(async () => {
    const port = await freePort();
    start = () => startGatewayProcess({ home: home.path, port, config: "policy:\n  mode: strict\n" });
    [browser, gateway] = await Promise.all([launchBrowser(), start()]);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    await ask(wire, await openSession(wire), "list my files");
    there.run = await send(wire, await openSession(wire), "write 'milk' to shopping.txt");
    const asked = await wire.until((f) => f.event === "exec.approval_request");
    there.approval = String(asked.data!["approvalId"]);
    const { receipts } = (await wire.result("receipts.list", { limit: 1 })) as { receipts: { id: string }[] };
    there.receipt = receipts[0]!.id;
    await wire.close();
    tab = await openTab(browser);
    page = tab.page;
    await logIn(page, gateway.url, gateway.token);
  });
  afterAll(async () => {
    await tab?.[Symbol.asyncDispose]();
    await gateway?.kill();
    await closeTabs(browser);
    home.remove();
  });

  /** Each page by its address, and something that is there once it is drawn. */
  const PAGES: [path: string, drawn: string][] = [
    ["/approvals", ".approval, .queue-row"],
    ["/approvals?show=history", ".empty-state, .history-row"],
    ["/approvals?show=grants", ".empty-state"],
    ["/approvals/:approval", ".approval"],
    ["/runs", ".run-row"],
    ["/runs/:run", ".timeline-row"],
    ["/runs/:run?show=events", ".event-row"],
    ["/runs/:run?show=evidence", ".evidence-list"],
    ["/runs/:run?show=raw", ".run-raw pre"],
    ["/receipts", ".receipt-row"],
    ["/receipts/:receipt", ".receipt-part"],
    ["/tools", ".tool-row"],
    ["/tools/files.file.write", ".try-call"],
    ["/jobs", ".job"],
    ["/jobs/heartbeat", ".facts"],
    ["/usage", ".stat"],
    ["/memory", ".memory-search"],
    ["/actions", ".tool-row"],
    ["/actions/llm.chat", ".page-body h1"],
    ["/connections", ".empty-state button"],
    ["/channels", ".profile"],
    ["/integrations", ".profile"],
    ["/settings", ".setting"],
    ["/nonsense", ".empty-state"],
    ["/doctor", "details.raw summary"],
    ["/doctor?show=log", ".log-line"],
  ];

  async function show(at: Page, path: string, drawn: string): Promise<void> {
    const filled = path.replace(/:(run|approval|receipt)/, (_, what: keyof typeof there) => there[what]);
    await at.goto(`${gateway.url}${filled}`);
    await at.locator(drawn).first().waitFor();
    await settled(at);
  }

  test.each(PAGES)(
    "%s: axe finds no fault in it, light, dark and narrow, it fits from 320 to 2,560 px, and the Tab key reaches every control",
    async (path, drawn) => {
      await show(page, path, drawn);
      const wanted = await page.evaluate(controls);
      let missed = wanted;
      for (let i = 0; i < wanted.length * 2 + 20 && missed.length > 0; i += 10) {
        // Held down, as one does it.
        for (const _ of Array(10)) await page.keyboard.down("Tab");
        const reached = new Set(await page.evaluate(() => document.body.dataset["walked"]?.split(" ")));
        missed = wanted.filter((each) => !reached.has(each.split(" ", 1)[0]!));
      }
      await page.keyboard.up("Tab");
      expect.soft(missed, "reached by no Tab").toEqual([]);

      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const look = colorScheme === "light" ? "all" : "colours";
        expect.soft(await axeFaults(page, look), colorScheme).toEqual([]);
      }
      for (const width of [320, 360, 390, 768, 900, 1280, 2_560]) {
        await resize(page, width);
        await page.locator(drawn).first().waitFor();
        expect.soft(await page.evaluate(layoutFaults), `${width} px`).toEqual([]);
        if (width === 390) expect.soft(await axeFaults(page, "shape"), "narrow").toEqual([]);
        if (width === 390) expect.soft(await page.evaluate(boxFaults), "narrow").toEqual([]);
      }
      await resize(page, 1_280, 720);
      expect
        .soft(await page.evaluate(standOut), "more than one button stands out")
        .toHaveLength(Math.min(1, (await page.evaluate(standOut)).length));
      expect.soft(await page.evaluate(weights), "weights").toEqual(["400", "560"]);
      expect.soft(await page.evaluate(boxFaults), "boxes").toEqual([]);
      if (!FOR_MACHINES.has(path))
        expect.soft(await page.evaluate(machineWords), "outside of Details").toEqual([]);
      expect(tab.faults).toEqual([]);
    },
  );

  test("beside a card that waits no other button stands out, nor does the message box's", async () => {
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const sessionKey = await openSession(wire);
    for (const name of ["first.txt", "second.txt"]) {
      await send(wire, sessionKey, `write 'milk' to ${name}`);
      await wire.until((f) => f.event === "exec.approval_request");
    }
    await wire.close();
    await show(page, `/c/${sessionKey}`, ".approval-buttons");
    expect(await page.evaluate(standOut)).toEqual(["Allow"]);
    await show(page, "/approvals", ".approval-buttons");
    await expect.poll(() => page.locator(".approval-buttons").count()).toBeGreaterThan(1);
    expect(await page.evaluate(standOut)).toEqual(["Allow"]);
  });

  test("of the chat, too, every box means something, and none stands in another, whatever is opened", async () => {
    const boxes = async (where: string) => {
      await settled(page);
      expect.soft(await page.evaluate(boxFaults), where).toEqual([]);
    };
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const sessionKey = await openSession(wire);
    await ask(wire, sessionKey, "list my files");
    const runId = await send(wire, sessionKey, "write 'milk' to boxes.txt");
    const asked = await wire.until((f) => f.event === "exec.approval_request" && f.data?.["runId"] === runId);
    await show(page, `/c/${sessionKey}`, ".approval-buttons");
    await page.locator(".approval").getByRole("button", { name: "Details" }).click();
    await page.locator(".card-details").waitFor();
    await boxes("a card with its details");
    await wire.result("exec.approve", { approvalId: asked.data!["approvalId"], decision: "once" });
    await ending(wire, runId);
    await send(wire, await openSession(wire), "write 'milk' to more.txt");
    await wire.close();
    // It stays open as it becomes a line.
    await page.locator(".approval.decided .call-inside").waitFor();
    await page.locator(".evidence > summary").last().click();
    await page.locator("elwood-call-group .call > summary").first().click();
    await page.locator("elwood-call-group .call-inside").waitFor();
    await page.locator(".evidence-inside .evidence-list").first().waitFor();
    await boxes("what was decided, its call and the evidence");
    await page.locator(".chip-more").click();
    await page.locator("#attention-more .chip").first().waitFor();
    await boxes("all that waits");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.locator(".palette-entry").first().waitFor();
    await boxes("the palette");
    expect(tab.faults).toEqual([]);
  });

  test("in German no page keeps an English sentence", async () => {
    await using german = await openTab(browser, { locale: "de-DE" });
    await logIn(german.page, gateway.url, gateway.token);
    const english: string[] = [];
    for (const [path, drawn] of PAGES) {
      await show(german.page, path, drawn);
      expect(await german.page.evaluate(() => document.documentElement.lang)).toBe("de");
      const lines = await german.page.evaluate(proseLines);
      english.push(...lines.filter((line) => ENGLISH.test(line)).map((line) => `${path}: ${line}`));
    }
    expect([...new Set(english)]).toEqual([]);
    expect(german.faults).toEqual([]);
  });

  test("all come back by themselves when the gateway was away, without a word lost or a fault", async () => {
    const open = PAGES.filter((_, i) => i % 3 === 0);
    const tabs: [Page, string][] = [];
    for (const [path, drawn] of open) {
      const each = await page.context().newPage();
      tabs.push([each, drawn]);
      await show(each, path, drawn);
    }
    await gateway.kill();
    for (const [each, drawn] of tabs) {
      await broken(each);
      expect(await each.locator(drawn).count()).toBeGreaterThan(0);
    }
    gateway = await start();
    for (const [each, drawn] of tabs) {
      await connected(each);
      await each.locator(drawn).first().waitFor();
      await each.close();
    }
    expect(tab.faults).toEqual([]);
  });

  const LISTS: [path: string, method: string, empty: unknown, says: string][] = [
    ["/approvals?show=history", "approvals.list", { approvals: [] }, "Nothing was decided yet."],
    ["/approvals?show=grants", "grants.list", { grants: [] }, "No permissions."],
    ["/runs", "runs.list", { runs: [] }, "Nothing has run yet."],
    ["/receipts", "receipts.list", { receipts: [] }, "No receipt fits."],
    ["/tools", "tools.list", { tools: [] }, "There are no tools."],
    ["/connections", "auth.list", { profiles: [] }, "No credential is stored."],
    ["/connections", "tokens.list", { tokens: [] }, "No token was made."],
    ["/jobs", "jobs.list", { jobs: [] }, "There is no job."],
    ["/channels", "channels.list", { channels: [] }, "There is no chat service to connect."],
    ["/doctor", "gateway.doctor", undefined, ""],
    ["/usage", "usage.summary", undefined, ""],
  ];

  test("with a list says when it loads, when it is empty, and when it could not be had, with a way to try again", async () => {
    await using other = await openTab(browser);
    let now: [string, Bent | Promise<Bent>] | undefined;
    await bendAnswers(other.page, (method) => (now?.[0] === method ? now[1] : undefined));
    await logIn(other.page, gateway.url, gateway.token);
    for (const [path, method, empty, says] of LISTS) {
      const door = gate();
      now = [method, door.opened.then(() => refused("The disk is on fire."))];
      await other.page.goto(`${gateway.url}${path}`);
      await other.page.locator(".skeleton").first().waitFor();
      door.open();
      const alert = other.page.getByRole("alert").filter({ hasText: "The disk is on fire." }).first();
      await alert.waitFor();
      now = empty === undefined ? undefined : [method, { result: empty }];
      const again = alert.getByRole("button", { name: "Try again", exact: true });
      // It may have been asked for anew by then, by the page itself.
      await expect
        .poll(async () => {
          await again.click({ timeout: 1_000 }).catch(alreadyBack);
          return alert.count();
        })
        .toBe(0);
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
      for (let before = ""; Number(await size()) < ALL && before !== (await size());) {
        before = (await size()) ?? "";
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
  });
});

/** What these show is made for programs, and named so. */
const FOR_MACHINES = new Set([
  "/runs/:run?show=raw",
  "/actions",
  "/actions/llm.chat",
  "/tools/files.file.write",
]);

/** Runs in the page: buttons that stand out by the accent's colour; the two halves of one are one. */
function standOut(): string[] {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.setProperty("background-color", "var(--accent)");
  const accent = getComputedStyle(probe).backgroundColor;
  probe.remove();
  return [...document.querySelectorAll<HTMLElement>("button, .button")]
    .filter((each) => each.checkVisibility() && getComputedStyle(each).backgroundColor === accent)
    .filter((each) => !each.matches(".allow-more"))
    .map(
      (each) =>
        [...each.childNodes].find((node) => node instanceof Text && node.data.trim())?.textContent?.trim() ??
        "",
    );
}

/** Runs in the page: every weight that its letters have. */
function weights(): string[] {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = new Set<string>();
  for (let node = walk.nextNode(); node; node = walk.nextNode())
    if (node.textContent?.trim() && node.parentElement?.checkVisibility())
      found.add(getComputedStyle(node.parentElement).fontWeight);
  return [...found].sort();
}

/** Runs in the page: ids, hashes, names of tools, rules, JSON and whole paths that nobody asked to see. */
function machineWords(): string[] {
  const shown = document.body.cloneNode(true) as HTMLElement;
  for (const each of shown.querySelectorAll("details:not([open]) > :not(summary), script, style, noscript"))
    each.remove();
  const MACHINE =
    /\b(?:run|ses|call|apr|rcp|req)_[0-9a-z]{8,}|\b[0-9a-f]{32,}|\b(?:files|shell|memory|owner|program|web)\.[a-z]+\.[a-z]+\b|\b(?:ask|said)\.[a-z]+\b|\{\s*"|(?<![\w.])\/(?:tmp|home|var)\/\S*/g;
  return [...shown.textContent.matchAll(MACHINE)].map(([found]) => found);
}

/** Words that no German sentence has, and hardly a name. */
const ENGLISH = /\b(?:the|you|your|this|that|with|and|is|are|not|of|from|which)\b/;

/** Runs in the page: what Elwood says there, without code, logs, and what people said. */
function proseLines(): string[] {
  const shown = document.body.cloneNode(true) as HTMLElement;
  const others =
    "pre, code, kbd, samp, .log-line, .run-raw, .card-diff, textarea, script, noscript, style, details:not([open]) > :not(summary)";
  for (const each of shown.querySelectorAll(others)) each.remove();
  // The gateway's own sentences about a reply speak the language of that reply.
  for (const each of shown.querySelectorAll(".evidence .line")) each.remove();
  // Whether it is drawn does not matter: what is there can be read.
  return shown.textContent
    .split(/\n+/)
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line) => line !== "");
}

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

/** More at a time than is asked for: it is the number of rows that counts here, not that of questions. */
const AT_A_TIME = 1_000;

function receiptsPage({ before = ALL + 1 }: { before?: number }) {
  const receipts = Array.from({ length: Math.min(AT_A_TIME, before - 1) }, (_, i) => {
    const seq = before - 1 - i;
    return { ...RECEIPT, id: `rcp_${seq}`, seq, ts: LONG_AGO + seq };
  });
  const last = receipts.at(-1)?.seq ?? 1;
  return { receipts, ...(last > 1 ? { next: last } : {}) };
}

function runsPage({ before }: { before?: string }) {
  const from = before === undefined ? ALL : Number(before) - 1;
  const runs = Array.from({ length: Math.min(AT_A_TIME, from) }, (_, i) => ({
    ...RUN,
    runId: String(from - i),
    summary: `run ${from - i}`,
  }));
  const last = from - runs.length + 1;
  return { runs, ...(last > 1 ? { next: String(last) } : {}) };
}

/** Runs in the page: every control that is not one of many in a list that arrow keys walk. Those that the focus comes to are noted. */
function controls(): string[] {
  const walked = new Set<string>();
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target.dataset["walk"] === undefined) return;
    // One that cannot be seen does not count.
    const { width, height } = target.getBoundingClientRect();
    if (width > 0 && height > 0) walked.add(target.dataset["walk"]);
    document.body.dataset["walked"] = [...walked].join(" ");
  });
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
