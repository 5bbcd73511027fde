import { gate, type Gate } from "@elwood/testkit/answers";
import { anthropic, startAnthropic, type AnthropicServer } from "@elwood/testkit/anthropic-server";
import {
  freePort,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { BROWSER_PATH, launchBrowser, openTab, type Tab } from "./page-browser.ts";

describe.skipIf(!BROWSER_PATH)("the page in a browser (ELWOOD_TEST_BROWSER names one)", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  describe("logging in, with the demo model", () => {
    let gateway: GatewayProcess;
    beforeAll(async () => {
      gateway = await startGatewayProcess();
    });
    afterAll(() => gateway?.kill());

    async function freshLink(): Promise<string> {
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const { url } = (await wire.result("login.link")) as { url: string };
      await wire.close();
      return url;
    }

    test("JV-1: a login link works once, and leaves the address bar before anything is asked", async () => {
      const link = await freshLink();
      await using tab = await openTab(browser);
      await tab.page.goto(link);
      await connected(tab.page);
      expect(tab.page.url()).toBe(`${gateway.url}/`);
      expect(await tab.steps()).toEqual(["replaceState", 'fetch /login with "" in the address', "socket"]);
      expect(await tab.page.evaluate(() => sessionStorage.getItem("elwood.token"))).toMatch(/^elw_/);

      await using another = await openTab(browser);
      await another.page.goto(link);
      expect(await another.page.getByRole("alert").first().textContent()).toContain("used before");
      expect(another.page.url()).toBe(`${gateway.url}/`);
      expect([...tab.faults, ...another.faults]).toEqual([]);
    });

    test("without a login the page says how to get one, and takes a pasted link or token", async () => {
      for (const secret of [await freshLink(), gateway.token]) {
        await using tab = await openTab(browser);
        await tab.page.goto(gateway.url);
        await tab.page.getByText("npx elwood open").waitFor();
        await tab.page.getByLabel("paste a link or a token").fill(secret);
        await tab.page.keyboard.press("Enter");
        await connected(tab.page);
        expect(tab.faults).toEqual([]);
      }
    });

    test("a link opened in a tab that already shows the page logs it in", async () => {
      await using tab = await openTab(browser);
      await tab.page.goto(gateway.url);
      await tab.page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
      await tab.page.goto(await freshLink());
      await connected(tab.page);
      expect(tab.page.url()).toBe(`${gateway.url}/`);
    });

    test("a refused token leads back to the login with the reason, and is forgotten", async () => {
      await using tab = await openTab(browser);
      await tab.page.goto(gateway.url);
      await tab.page.getByLabel("paste a link or a token").fill("elw_wrong");
      await tab.page.getByRole("button", { name: "Log in" }).click();
      await tab.page.getByText("The token was not accepted.").waitFor();
      expect(await tab.page.evaluate(() => sessionStorage.getItem("elwood.token"))).toBeNull();
    });

    test("a token that is revoked while the page is open ends at the login", async () => {
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const made = await wire.result("tokens.create", { name: "a tab", scopes: ["chat"] });
      const { token, info } = made as { token: string; info: { id: string } };
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, token);
      await wire.result("tokens.revoke", { tokenId: info.id });
      await wire.close();
      await tab.page.getByText("The gateway ended this login.").waitFor();
      await tab.page.reload();
      await tab.page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
    });

    test("JV-3: the page shows what the gateway says of itself, and that the demo is one", async () => {
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await tab.page.getByText("Demo model: scripted answers.").waitFor();
      const status = tab.page.getByRole("region", { name: "Status" });
      for (const fact of ["Demo (scripted)", "0.1.0", "of $20.00", "0 running, 0 queued", "1 connection"]) {
        await status.getByText(fact).waitFor();
      }
      await tab.page.getByRole("button", { name: "What can you do?" }).click();
      await tab.page.keyboard.press("Enter");
      await tab.page.getByText("No tool ran for this reply.").waitFor();
      await tab.page.getByText("demo model").first().waitFor();
    });

    test("the whole way can be walked by keyboard alone", async () => {
      await using tab = await openTab(browser);
      const { page } = tab;
      await page.goto(gateway.url);
      await page.getByRole("heading", { name: "Log in to Elwood" }).waitFor();
      await page.keyboard.insertText(gateway.token);
      await page.keyboard.press("Enter");
      await connected(page);
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the message box");
      await page.keyboard.press("Enter");
      await page.keyboard.type("first line");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("second line");
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("first line\nsecond line");
      await page.keyboard.press("Enter");
      await page.getByText("No tool ran for this reply.").waitFor();
      expect(await page.locator("article").first().locator(".text").textContent()).toBe(
        "first line\nsecond line",
      );
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("");
      expect(tab.faults).toEqual([]);
    });
  });

  describe("talking to a model", () => {
    let server: AnthropicServer;
    let gateway: GatewayProcess;
    beforeAll(async () => {
      server = await startAnthropic();
      gateway = await startGatewayProcess({ env: anthropicEnv(server) });
    });
    afterAll(async () => {
      await gateway?.kill();
      await server?.close();
    });

    test("JV-3: an answer appears while it is written, and the gateway's evidence stands below in its own name", async () => {
      const door = gate();
      server.will(inTwo("The first half", " and the second.", door));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      const sent = framesSent(tab.page);
      await tab.page.reload();
      await connected(tab.page);
      await say(tab.page, "Tell me");
      await replyIs(tab.page, "The first half");
      expect(await tab.page.locator(".evidence").count()).toBe(0);
      door.open();
      await replyIs(tab.page, "The first half and the second.");
      const evidence = tab.page.locator('article [data-from="gateway"].evidence');
      expect(await evidence.textContent()).toContain("EvidenceNo tool ran for this reply.");
      expect(await tab.page.getByRole("status").textContent()).toBe("Reply ready.");
      expect(await tab.page.getByRole("button", { name: "Stop" }).isVisible()).toBe(false);
      const message = sent.find((frame) => frame.method === "chat.send");
      expect(message?.params).toMatchObject({ message: "Tell me", idempotencyKey: expect.any(String) });
    });

    test("an attempt that broke off is replaced, not repeated", async () => {
      server.will(
        anthropic.stream([...opening("Half of a first try"), { cut: true }]),
        anthropic.reply("The whole second try."),
      );
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Try");
      await tab.page.locator('[data-from="gateway"].line.warn', { hasText: "Trying again" }).waitFor();
      await replyIs(tab.page, "The whole second try.");
    });

    test("JV-12: Stop ends the answer and keeps what was written", async () => {
      server.will(anthropic.stream([...opening("Written so far"), { hang: true }]));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Write");
      await replyIs(tab.page, "Written so far");
      await tab.page.getByRole("button", { name: "Stop" }).click();
      await tab.page.getByText("You stopped this answer.").waitFor();
      await replyIs(tab.page, "Written so far");
      await expect.poll(() => server.last().hungUp).toBe(true);
      await tab.page.reload();
      await replyIs(tab.page, "Written so far");
    });

    test("JV-3: a reload in the middle of an answer picks it up again", async () => {
      const door = gate();
      server.will(inTwo("Before the reload,", " after it.", door));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Go on");
      await replyIs(tab.page, "Before the reload,");
      await tab.page.reload();
      await replyIs(tab.page, "Before the reload,");
      door.open();
      await replyIs(tab.page, "Before the reload, after it.");
      await tab.page.locator(".evidence").waitFor();
      expect(await tab.page.locator("article").count()).toBe(2);
    });

    test("a failure is told in the gateway's words, and what was typed stays to be read", async () => {
      server.will(anthropic.error(401));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Does the key work?");
      const line = tab.page.locator('[data-from="gateway"].line.bad');
      expect(await line.textContent()).toMatch(/^Gateway.*elwood auth anthropic/);
      await tab.page.reload();
      await line.waitFor();
      await tab.page.getByText("Does the key work?").first().waitFor();
    });

    test("what a model writes is shown as text and never becomes part of the page", async () => {
      const markup =
        '<img src="/icon.svg" onerror="steps.push(1)"><script>steps.push(2)</script> & <b>bold</b>';
      server.will(anthropic.reply(markup));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "<i>Markup</i>, please");
      await replyIs(tab.page, markup);
      expect(await tab.page.locator("#turns img, #turns script, #turns b, #turns i").count()).toBe(0);
      expect(tab.faults).toEqual([]);
    });

    test("EL-2: a message sent while another is answered waits its turn, and each keeps its own answer", async () => {
      const door = gate();
      server.will(inTwo("One", ".", door), anthropic.reply("Two."));
      await using tab = await openTab(browser);
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "First?");
      await replyIs(tab.page, "One");
      await say(tab.page, "Second?");
      await tab.page.getByText("Waits for the message before it").waitFor();
      door.open();
      await replyIs(tab.page, "Two.");
      const shown = ["First?", "One.", "Second?", "Two."];
      expect(await tab.page.locator("article .text").allTextContents()).toEqual(shown);
      await tab.page.reload();
      await replyIs(tab.page, "Two.");
      expect(await tab.page.locator("article .text").allTextContents()).toEqual(shown);
    });

    test("a reader who scrolled up is not pulled down by new text, and can jump to it", async () => {
      const door = gate();
      server.will(inTwo("line\n".repeat(200), "the end", door));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "A lot, please");
      await page.locator(".writing .text", { hasText: "line" }).waitFor();
      const log = page.getByRole("log");
      expect(await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(2);
      await log.evaluate((e) => (e.scrollTop = 0));
      await expect.poll(() => log.evaluate((e) => e.scrollTop)).toBe(0);
      door.open();
      await page.getByRole("button", { name: "Jump to newest" }).click();
      expect(await log.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight)).toBeLessThan(2);
    });

    test("JV-12: sessions are listed, and a click shows the conversation", async () => {
      server.will(anthropic.reply("About apples."), anthropic.reply("About pears."));
      await using tab = await openTab(browser);
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, "Apples?");
      await replyIs(page, "About apples.");
      await page.getByRole("button", { name: "New session" }).click();
      await say(page, "Pears?");
      await replyIs(page, "About pears.");
      await page.locator(".session", { hasText: "Apples?" }).click();
      await replyIs(page, "About apples.");
      expect(await page.locator("article").count()).toBe(2);
      expect(await page.locator('.session[aria-current="true"] .session-title').textContent()).toBe(
        "Apples?",
      );
      expect(await page.getByRole("log").getAttribute("aria-live")).toBe("off");
    });
  });

  describe("when the gateway goes away", () => {
    test("JV-12: kill -9 in the middle of an answer: the page waits, comes back, and shows the answer once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      world.server.will(
        anthropic.stream([...opening("Half of it"), { hang: true }]),
        anthropic.reply("All of it."),
      );
      await say(page, "Survive");
      await replyIs(page, "Half of it");
      await world.kill();
      await page.getByText("Reconnecting…").waitFor();
      await replyIs(page, "Half of it");
      await world.start();
      await page.getByRole("button", { name: "Retry now" }).click({ timeout: 1_000 }).catch(alreadyBack);
      await replyIs(page, "All of it.");
      await connected(page);
      expect(await page.locator("article").count()).toBe(2);
      expect(world.tab.faults).toEqual([]);
    });

    test("a message whose acknowledgement got lost is sent again, and counts once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      world.server.will(anthropic.reply("Answered once."));
      let acknowledgements = 0;
      await page.routeWebSocket(/\/ws$/, (socket) => {
        const upstream = socket.connectToServer();
        const sends = new Set<string>();
        socket.onMessage((text) => {
          const frame = JSON.parse(String(text)) as { id?: string; method?: string };
          if (frame.method === "chat.send" && frame.id) sends.add(frame.id);
          upstream.send(text);
        });
        upstream.onMessage(async (text) => {
          const { id } = JSON.parse(String(text)) as { id?: string };
          if (id === undefined || !sends.has(id)) socket.send(text);
          else if (++acknowledgements === 1) await socket.close({ code: 1011, reason: "lost on the way" });
          else socket.send(text);
        });
      });
      await page.reload();
      await connected(page);
      await say(page, "Only once");
      await replyIs(page, "Answered once.");
      await connected(page);
      expect(acknowledgements).toBe(2);
      expect(await page.locator("article").count()).toBe(2);
      world.server.assertDone();
    });

    test("a message written while it is away, and a draft, survive a reload and are sent once", async () => {
      await using world = await startWorld(browser);
      const { page } = world.tab;
      await page.getByLabel("Message", { exact: true }).fill("Not finished yet");
      await page.reload();
      await connected(page);
      expect(await page.getByLabel("Message", { exact: true }).inputValue()).toBe("Not finished yet");
      await world.stop();
      await page.getByText("Reconnecting…").waitFor();
      await page.getByLabel("Message", { exact: true }).fill("Written in the dark");
      await page.keyboard.press("Enter");
      await page.getByText("Waits for the connection").waitFor();
      world.server.will(anthropic.reply("Read in the light."));
      await world.start();
      await replyIs(page, "Read in the light.");
      expect(await page.getByText("Written in the dark").count()).toBeGreaterThan(0);
      expect(world.server.requests.filter((r) => r.method === "POST")).toHaveLength(1);
      expect(await page.evaluate(() => sessionStorage.getItem("elwood.outbox"))).toBeNull();
    });
  });

  describe("for every reader", () => {
    let gateway: GatewayProcess;
    beforeAll(async () => {
      gateway = await startGatewayProcess();
    });
    afterAll(() => gateway?.kill());

    test("nothing is cut off or too small, from 360 px to a wide screen", async () => {
      await using tab = await openTab(browser, { hasTouch: true });
      const { page } = tab;
      await logIn(page, gateway.url, gateway.token);
      await say(page, `Hello ${"unbroken".repeat(40)}`);
      await page.getByText("No tool ran for this reply.").waitFor();
      for (const width of [360, 390, 899, 900, 1200, 2000]) {
        await page.setViewportSize({ width, height: 700 });
        for (const view of ["Chat", "Sessions", "Status"]) {
          const switcher = page.getByRole("navigation").getByRole("button", { name: view });
          if (width < 900) await switcher.click();
          expect(await page.evaluate(layoutFaults), `${view} at ${width} px`).toEqual([]);
        }
      }
    });

    test("colours keep their contrast in the light and the dark theme", async () => {
      await using tab = await openTab(browser);
      await tab.page.goto(gateway.url);
      for (const colorScheme of ["light", "dark"] as const) {
        await tab.page.emulateMedia({ colorScheme });
        expect(await tab.page.evaluate(contrastFaults), colorScheme).toEqual([]);
      }
    });

    test("every control and landmark has a name, and those who want no motion get none", async () => {
      await using tab = await openTab(browser, { reducedMotion: "reduce" });
      await logIn(tab.page, gateway.url, gateway.token);
      await say(tab.page, "Tell me a long story");
      await tab.page.locator(".writing").waitFor();
      expect(await tab.page.evaluate(() => document.getAnimations().length)).toBe(0);
      const tree = await tab.page.locator("body").ariaSnapshot();
      for (const name of ['region "Sessions"', 'region "Status"', 'textbox "Message"', "banner", "main"]) {
        expect(tree).toContain(name);
      }
      expect(tree).not.toMatch(/- (button|textbox|link|region|log)(:|$)/m);
      await tab.page.getByRole("button", { name: "Stop" }).click();
    });
  });
});

/** A gateway that talks to a loopback Anthropic. */
function anthropicEnv(server: AnthropicServer): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sk-ant-loopback-key-000000",
    ANTHROPIC_BASE_URL: server.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
  };
}

/** The beginning of an answer. */
function opening(text: string): string[] {
  return anthropic.events({ content: [{ type: "text", text, pieces: [text] }] }).slice(0, 4);
}

/** An answer that waits at the door after its first half. */
function inTwo(first: string, rest: string, door: Gate): Answer {
  const events = anthropic.events({ content: [{ type: "text", text: first + rest, pieces: [first, rest] }] });
  return anthropic.stream([...events.slice(0, 4), { wait: door }, ...events.slice(4)]);
}

async function logIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("paste a link or a token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await connected(page);
}

async function connected(page: Page): Promise<void> {
  await page.getByText("Connected", { exact: true }).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

/** Waits until the last reply of the model's reads exactly so. */
async function replyIs(page: Page, text: string): Promise<void> {
  const reply = page.locator("article.elwood .text");
  await expect.poll(async () => (await reply.allTextContents()).at(-1), { timeout: 15_000 }).toBe(text);
}

interface SentFrame {
  readonly method?: string;
  readonly params?: unknown;
}

function framesSent(page: Page): SentFrame[] {
  const frames: SentFrame[] = [];
  page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => frames.push(JSON.parse(String(payload)) as SentFrame));
  });
  return frames;
}

interface World extends AsyncDisposable {
  readonly server: AnthropicServer;
  readonly tab: Tab;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A gateway that can go and come back on the same port and folder, and a tab that is logged in. */
async function startWorld(browser: Browser): Promise<World> {
  const home = temporaryHome();
  const port = await freePort();
  const server = await startAnthropic();
  let gateway = await startGatewayProcess({ home: home.path, port, env: anthropicEnv(server) });
  const tab = await openTab(browser);
  await logIn(tab.page, gateway.url, gateway.token);
  return {
    server,
    tab,
    async start() {
      gateway = await startGatewayProcess({ home: home.path, port, env: anthropicEnv(server) });
    },
    async stop() {
      await gateway.stop();
    },
    kill: () => gateway.kill(),
    async [Symbol.asyncDispose]() {
      await tab[Symbol.asyncDispose]();
      await gateway.kill();
      await server.close();
      home.remove();
    },
  };
}

/** The button is gone as soon as a try of the page's own succeeds. */
function alreadyBack(error: unknown): void {
  if (!(error instanceof Error) || error.name !== "TimeoutError") throw error;
}

/** Runs in the page: what sticks out of it, is too small to hit, or makes a phone zoom in. */
function layoutFaults(): string[] {
  const faults: string[] = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const element of document.querySelectorAll<HTMLElement>(
    "button, input, textarea, p, li, article, dd",
  )) {
    if (!element.checkVisibility() || element.classList.contains("unseen")) continue;
    const { left, right, width, height } = element.getBoundingClientRect();
    const name = `${element.tagName} "${(element.textContent ?? "").slice(0, 20)}"`;
    if (left < -0.5 || right > innerWidth + 0.5) faults.push(`${name} is cut off`);
    if (element.tagName === "BUTTON" && (width < 24 || height < 24)) faults.push(`${name} is too small`);
    const typed = element.tagName === "INPUT" || element.tagName === "TEXTAREA";
    if (typed && parseFloat(getComputedStyle(element).fontSize) < 16)
      faults.push(`${name} has small letters`);
  }
  return faults;
}

/** Runs in the page: pairs of colours that are hard to tell apart, by WCAG's measure. */
function contrastFaults(): string[] {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  const luminance = (name: string) => {
    canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => {
      const c = v / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const ratio = (a: string, b: string) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light! + 0.05) / (dark! + 0.05);
  };
  const grounds = ["--ground", "--surface", "--sunken", "--hover"];
  const pairs: [string, string, number][] = [
    ...grounds.flatMap((ground): [string, string, number][] => [
      ["--text", ground, 7],
      ["--muted", ground, 4.5],
    ]),
    ["--on-accent", "--accent", 4.5],
    ["--on-accent", "--accent-hover", 4.5],
    ["--muted", "--accent-tint", 4.5],
    ["--accent", "--warn-tint", 4.5],
    ["--warn", "--warn-tint", 4.5],
    ["--bad", "--bad-tint", 4.5],
    ["--accent", "--surface", 3],
    ["--edge", "--surface", 3],
    ["--ok", "--surface", 3],
  ];
  return pairs
    .map(([a, b, least]) => ({ pair: `${a} on ${b}`, has: ratio(a, b), least }))
    .filter(({ has, least }) => has < least)
    .map(({ pair, has, least }) => `${pair}: ${has.toFixed(2)} of ${least}`);
}
