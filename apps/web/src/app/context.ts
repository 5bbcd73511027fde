import type { MethodResult } from "@elwood/core/protocol/results";
import { RequestError, type GatewayClient } from "@elwood/sdk/client";
import { Store } from "@elwood/sdk/store";
import { pageClient } from "../gateway/page-client.ts";
import { AttentionList } from "./attention-list.ts";
import { Commands } from "./commands.ts";
import { tellLoadFailures } from "./load-failure.ts";
import { NO_PAGE, PAGES } from "./pages.ts";
import { Router } from "./router.ts";
import { Toasts } from "./toasts.ts";
import { PendingApprovals } from "@elwood/sdk/view-state/pending-approvals";
import { agoText, gatewayNow } from "../parts/format.ts";
import { say } from "../words/en/app.ts";
import { failureText, gatewayText } from "../words/gateway.ts";

export type GatewayStatus = MethodResult<"gateway.status">;

const LOOK_EVERY_MS = 10_000;

/**
 * What a logged-in tab has, from one token to its end. Elements get it handed down; nothing
 * of it is reachable in any other way.
 */
export class AppContext {
  token: string;
  readonly link: GatewayClient;
  readonly router = new Router(PAGES, NO_PAGE);
  readonly commands = new Commands();
  readonly toasts = new Toasts();
  readonly waiting: PendingApprovals;
  readonly attention: AttentionList;
  readonly status = new Store<GatewayStatus | undefined>(undefined);
  /** What another page put together for the next new conversation; it is shown there, and sent by nobody but the owner. */
  prepared = "";
  readonly logOut: () => void;
  readonly #ended = new AbortController();
  readonly #kept = new Map<unknown, unknown>();

  /** Lets this browser stay logged in; false where that could not be done, which is told. */
  readonly stay: () => Promise<boolean>;

  constructor(
    token: string,
    login: {
      readonly logOut: () => void;
      readonly stay: () => Promise<boolean>;
      /** Another token for one that is refused. */
      readonly renew: () => Promise<string | undefined>;
    },
  ) {
    this.token = token;
    this.link = pageClient(token, async () => {
      const fresh = await login.renew();
      if (fresh !== undefined) this.token = fresh;
      return fresh;
    });
    this.logOut = login.logOut;
    this.stay = login.stay;
    this.waiting = new PendingApprovals(this.link, (text) => this.announce(text));
    this.attention = new AttentionList(this.link);
    const { signal } = this.#ended;
    this.router.start(signal);
    this.commands.listen(signal);
    tellLoadFailures(this.toasts, signal);
    this.link.onReady(() => void this.look());
    this.link.onPush(({ event }) => {
      if (event === "chat.final" || event === "chat.error") void this.look();
    });
    this.#keepLooking(signal);
    refreshTimes(this.link, signal);
    this.link.start();
  }

  /** Ends when the tab logs out. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** The connection goes when the last that is asked over it is answered. */
  close(last?: Promise<unknown>): void {
    this.#ended.abort();
    if (last) void last.then(() => this.link.close());
    else void this.link.close();
  }

  /** What a page holds on to while others are shown: made when first asked for, there until the tab logs out. */
  keep<T>(Kept: new (app: AppContext) => T): T {
    const known = this.#kept.get(Kept);
    if (known instanceof Kept) return known;
    const made = new Kept(this);
    this.#kept.set(Kept, made);
    return made;
  }

  /** Said aloud by a screen reader, when it has time. */
  announce(text: string): void {
    const announcer = document.getElementById("announcer");
    if (announcer) announcer.textContent = gatewayText(text);
  }

  /** For what somebody pressed a button for: a failure is told, a lost connection mends itself. */
  async attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const text = error.lost ? say.notDoneElwoodCannotBeReached : failureText(error.failure);
      this.toasts.show(text, { tone: "bad" });
      return undefined;
    }
  }

  async look(): Promise<void> {
    if (!this.link.ready) return;
    try {
      this.status.set(await this.link.call("gateway.status", {}));
    } catch (error) {
      // What cannot be had now is asked for again soon.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  #keepLooking(signal: AbortSignal): void {
    const timer = window.setInterval(() => {
      if (!document.hidden) void this.look();
    }, LOOK_EVERY_MS);
    signal.addEventListener("abort", () => clearInterval(timer));
    // Whoever comes back to the tab should not wait for the next try.
    const back = () => {
      if (document.hidden) return;
      this.link.retryNow();
      void this.look();
    };
    document.addEventListener("visibilitychange", back, { signal });
    addEventListener("online", back, { signal });
  }
}

const TIMES_EVERY_MS = 30_000;

/**
 * What is drawn once may be looked at for days: "now" must not stay. The letters are changed
 * where they stand; nothing is drawn anew for it.
 */
function refreshTimes(link: Pick<GatewayClient, "hello" | "now">, signal: AbortSignal): void {
  link.hello.subscribe(() => {
    document.documentElement.dataset["ahead"] = String(link.now() - Date.now());
    tellTimes();
  });
  const timer = window.setInterval(() => {
    if (!document.hidden) tellTimes();
  }, TIMES_EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  document.addEventListener("visibilitychange", () => document.hidden || tellTimes(), { signal });
}

function tellTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>("time[data-ago]")) {
    const words = agoText(Date.parse(time.dateTime), gatewayNow());
    const shown = [...time.childNodes].find((node) => node instanceof Text && node.data.trim() !== "");
    if (shown instanceof Text && shown.data !== words) shown.data = words;
  }
}
