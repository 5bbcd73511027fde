import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ActivityItem } from "@elwood/core/tool/activity";
import type { EventData } from "@elwood/core/protocol/events";
import { GatewayClient, isPush, type Push } from "@elwood/sdk/client";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { startWebSite, type WebSite } from "@elwood/testkit/web-server";
import type { Browser } from "playwright-core";
import { expect } from "vitest";
import { anthropicEnv } from "../conversation.ts";
import { launchBrowser, openTab, settled, type Tab } from "../page-browser.ts";
import { logIn } from "../page-talk.ts";
import type { Delivered, DeliveredSegment, Exchange, Turn } from "./exchange.ts";
import { readConversation } from "./read-conversation.ts";
import { readReplies } from "./read-page.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { SITE_PAGES } from "./site-pages.ts";

type Final = EventData<"chat.final">;

/** One gateway, one browser, one web site and one model for every exchange. */
export class RecordedScene implements AsyncDisposable {
  readonly #model: ScriptedModel;
  readonly #site: WebSite;
  readonly #gateway: GatewayProcess;
  readonly #owner: GatewayClient;
  readonly #browser: Browser;
  readonly #tab: Tab;
  /** It follows no run: it loads what the other one saw happen. */
  readonly #later: Tab;
  readonly #removeHome: () => void;
  #turn: Turn | undefined;
  #answered = 0;
  /** What went wrong while the owner decided; a run that waits in vain would not say. */
  readonly #problems: unknown[] = [];

  private constructor(parts: {
    model: ScriptedModel;
    site: WebSite;
    gateway: GatewayProcess;
    owner: GatewayClient;
    browser: Browser;
    tab: Tab;
    later: Tab;
    removeHome: () => void;
  }) {
    this.#model = parts.model;
    this.#site = parts.site;
    this.#gateway = parts.gateway;
    this.#owner = parts.owner;
    this.#browser = parts.browser;
    this.#tab = parts.tab;
    this.#later = parts.later;
    this.#removeHome = parts.removeHome;
    this.#owner.onPush((push) => {
      this.#decide(push).catch((error: unknown) => this.#problems.push(error));
    });
  }

  static async start(): Promise<RecordedScene> {
    const home = temporaryHome();
    const [model, site, browser] = await Promise.all([
      ScriptedModel.start(),
      startWebSite({ pages: SITE_PAGES }),
      launchBrowser(),
    ]);
    const config = `web:\n  allowedOrigins: ['${site.origin}']\n`;
    const gateway = await startGatewayProcess({ home: home.path, config, env: anthropicEnv(model.server) });
    const { url, token } = gateway;
    const owner = await GatewayClient.connect({ url, token, client: { name: "owner" } });
    const [tab, later] = await Promise.all([openTab(browser), openTab(browser)]);
    await Promise.all([tab, later].map(({ page }) => logIn(page, `${url}/c/new`, token)));
    const removeHome = () => home.remove();
    return new RecordedScene({ model, site, gateway, owner, browser, tab, later, removeHome });
  }

  /**
   * Plays an exchange in a session of its own. Each message is sent from a terminal while the
   * page shows the session; then another tab loads it, and must show the same, element by element,
   * from what was stored.
   */
  async play(exchange: Exchange): Promise<Delivered[]> {
    this.#fill(exchange.files ?? {});
    const { page } = this.#tab;
    const { sessionKey } = await this.#owner.call("sessions.create", {});
    await page.evaluate(goTo, `/c/${sessionKey}`);
    await expect.poll(() => page.locator("article").count()).toBe(0);
    const played: Omit<Delivered, "page">[] = [];
    const shown: string[][] = [];
    for (const [index, turn] of exchange.turns.entries()) {
      played.push(await this.#send(sessionKey, turn));
      shown.push(await this.#replyOnPage(index));
    }
    await this.#loadedAnew(sessionKey);
    return played.map(({ laps, ...rest }, index) => ({ laps, page: shown[index] ?? [], ...rest }));
  }

  /** What the page shows of a conversation that it followed is what it shows of it after a reload. */
  async #loadedAnew(sessionKey: string): Promise<void> {
    const live = this.#tab.page;
    const { page } = this.#later;
    await page.goto(`${this.#gateway.url}/c/${sessionKey}`);
    await page.locator("article.elwood:not(.writing) .message-actions").first().waitFor();
    await expect
      .poll(
        async () => {
          await Promise.all([settled(live), settled(page)]);
          const [followed, stored] = await Promise.all([readConversation(live), readConversation(page)]);
          return difference(followed, stored);
        },
        { timeout: 10_000 },
      )
      .toEqual([]);
  }

  async #replyOnPage(index: number): Promise<string[]> {
    const { page } = this.#tab;
    const whole = page.locator("article.elwood:not(.writing) .message-actions").nth(index);
    await whole.waitFor().catch(async (error: unknown) => {
      const shown = await page.locator("body").innerText();
      throw new Error(`The page does not show reply ${index + 1}. It shows:\n${shown}`, { cause: error });
    });
    await settled(page);
    return ((await readReplies(page))[index] ?? []).map((line) => this.#unplaced(line));
  }

  get faults(): readonly string[] {
    return [...this.#tab.faults, ...this.#later.faults];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owner.close();
    await this.#gateway.kill();
    await Promise.all([this.#browser.close(), this.#model.server.close(), this.#site.close()]);
    this.#removeHome();
  }

  async #send(sessionKey: string, turn: Turn): Promise<Omit<Delivered, "page">> {
    this.#turn = turn;
    this.#answered = 0;
    this.#model.begin(this.#placed(turn.laps));
    const { code, stdout, stderr } = await elwood(["-s", sessionKey, this.#placed(turn.owner)], {
      home: this.#gateway.home,
    });
    if (this.#problems.length > 0) throw new AggregateError(this.#problems, "the owner could not decide");
    const final = await this.#finalOf(sessionKey, stderr);
    return {
      laps: this.#model.asked,
      terminal: { exit: code, stdout: this.#lines(stdout) },
      json: {
        text: this.#lines(final.text),
        segments: final.segments.flatMap((segment) => this.#segment(segment)),
        evidence: this.#lines(final.evidence),
        activity: (final.activity as readonly ActivityItem[]).map((item) =>
          this.#unplaced(`${item.cite} ${item.summary}`),
        ),
      },
    };
  }

  /** The ending of the session's last run, as `--json` prints it. */
  async #finalOf(sessionKey: string, stderr: string): Promise<Final> {
    const { runs } = await this.#owner.call("runs.list", { sessionKey, limit: 1 });
    const runId = runs[0]?.runId;
    if (runId === undefined) throw new Error(`no run began: ${stderr}`);
    const { snapshot } = await this.#owner.call("chat.resume", { runId });
    if (!snapshot.final) throw new Error(`the run did not end: ${stderr}`);
    return snapshot.final;
  }

  #segment({ text, by, cites, verified, why }: Final["segments"][number]): DeliveredSegment[] {
    if (by === "model" && cites === undefined && verified === undefined) return [];
    return [
      {
        text: this.#unplaced(text),
        by,
        ...(cites === undefined ? {} : { cites }),
        ...(verified === undefined ? {} : { verified }),
        ...(why === undefined ? {} : { why }),
      },
    ];
  }

  async #decide(push: Push): Promise<void> {
    if (isPush(push, "owner.question")) {
      const answer = this.#turn?.answers?.[this.#answered++];
      if (answer === undefined) throw new Error(`nobody answers: ${push.data.question}`);
      await this.#owner.call("owner.answer", { questionId: push.data.questionId, answer });
      return;
    }
    if (!isPush(push, "exec.approval_request")) return;
    const { approvalId, toolName, details, confirm } = push.data;
    const asked = `${toolName} ${JSON.stringify(details)}`;
    const no = this.#turn?.decisions?.find(({ about }) => asked.includes(about));
    if (no)
      await this.#owner.call("exec.deny", { approvalId, ...(no.deny === "" ? {} : { reason: no.deny }) });
    else
      await this.#owner.call("exec.approve", { approvalId, ...(confirm === undefined ? {} : { confirm }) });
  }

  /** The folder that the file tools work in, with these files and nothing else. */
  #fill(files: Readonly<Record<string, string>>): void {
    const folder = join(this.#gateway.home, "files");
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  #placed<T>(value: T): T {
    return JSON.parse(JSON.stringify(value).replaceAll("{site}", this.#site.origin)) as T;
  }

  #unplaced(text: string): string {
    return text.replaceAll(this.#site.origin, "{site}").replaceAll(`127.0.0.1:${this.#site.port}`, "{host}");
  }

  #lines(text: string): string[] {
    const whole = this.#unplaced(text).replace(/\n$/, "");
    return whole === "" ? [] : whole.split("\n");
  }
}

/** Runs in the page: another address, as the browser's own buttons bring one, without loading it all again. */
function goTo(path: string): void {
  history.pushState(null, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Where two outlines part, with what stands around it; nothing where they are the same. */
function difference(followed: readonly string[], stored: readonly string[]): string[] {
  const first = followed.findIndex((line, index) => line !== stored[index]);
  if (first === -1 && followed.length === stored.length) return [];
  const at = first === -1 ? followed.length : first;
  const around = (lines: readonly string[]) => lines.slice(Math.max(0, at - 3), at + 8);
  return ["followed:", ...around(followed), "stored:", ...around(stored)];
}
