import { readFile } from "node:fs/promises";
import { ToolError } from "@elwood/sdk/tool";
import { launchChromium, type Launched } from "./chromium.ts";
import type { BrowserLimits } from "./limits.ts";
import type { BrowserOptions } from "./options.ts";
import { BrowserSession } from "./session.ts";
import { sizeInWords } from "./words.ts";
import { inTime } from "./in-time.ts";

/**
 * The browser of this process and its sessions, one per conversation.
 *
 * H1 The first call that needs it starts it; a preview never does.
 * H2 It ends after a while without use, when it takes too much memory, and with the gateway.
 * H3 However it ended, the next call starts a new one, and conversations that had pages are told.
 */
export class BrowserPool {
  readonly #options: BrowserOptions;
  readonly #limits: BrowserLimits;
  readonly #sessions = new Map<string, BrowserSession>();
  /** Conversations that lost their pages, and why; told once. */
  readonly #lost = new Map<string, string>();
  #running: Promise<Launched> | undefined;
  #watching: AbortController | undefined;
  #busy = 0;
  #closed = false;

  constructor(options: BrowserOptions, limits: BrowserLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The session, if it exists; never starts anything. */
  peek(id: string | undefined): BrowserSession | undefined {
    return id === undefined ? undefined : this.#sessions.get(id);
  }

  /** The session of a call that needs a page; throws where it has none. */
  existing(id: string): BrowserSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    const why = this.#lost.get(id);
    throw new ToolError("no_page", `${why ?? "No page is open in this conversation."} ${OPEN_ONE}`);
  }

  /** The session, made where it is not there yet. */
  async session(id: string): Promise<BrowserSession> {
    const present = this.#sessions.get(id);
    if (present) return present;
    this.#busy += 1;
    try {
      const launched = await this.#launched();
      await this.#makeRoom();
      const session = await BrowserSession.open(launched, this.#options.clock, this.#limits);
      const other = this.#sessions.get(id);
      if (other) {
        await session.close();
        return other;
      }
      this.#lost.delete(id);
      this.#sessions.set(id, session);
      return session;
    } finally {
      this.#busy -= 1;
    }
  }

  /** Runs work on a session's pages: one call at a time, and counted as activity. */
  async working<T>(session: BrowserSession, work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await session.queue.run(() => this.#bounded(work));
    } finally {
      this.#busy -= 1;
      session.touch();
    }
  }

  /** A call that a page keeps waiting must not keep the next ones waiting. */
  async #bounded<T>(work: () => Promise<T>): Promise<T> {
    const { callMs } = this.#limits;
    return inTime(this.#options.clock, callMs, work(), () => {
      throw new Error(`the browser did not answer within ${callMs / 1000} seconds`);
    });
  }

  async forget(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    this.#sessions.delete(id);
    await session?.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end("Elwood is stopping.");
  }

  async #launched(): Promise<Launched> {
    if (this.#closed) throw new ToolError("stopping", "Elwood is stopping, and opens no browser any more.");
    if (this.#running) return this.#running;
    const launching = launchChromium(this.#options, this.#limits);
    this.#running = launching;
    try {
      const launched = await launching;
      launched.browser.once("disconnected", () => {
        if (this.#running === launching)
          void this.#end("The browser ended unexpectedly, and its pages are gone.");
      });
      this.#watching = new AbortController();
      void this.#watch(launched, this.#watching.signal);
      return launched;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  async #end(why: string): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#watching?.abort("over");
    for (const id of this.#sessions.keys()) this.#remember(id, why);
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) session.pass.revoke();
    // A start that failed has been told to whoever asked for it.
    const launched = await running?.catch(() => undefined);
    await launched?.end();
  }

  #remember(id: string, why: string): void {
    this.#lost.set(id, why);
    const [oldest] = this.#lost.keys();
    if (oldest !== undefined && this.#lost.size > LOST_MAX) this.#lost.delete(oldest);
  }

  async #makeRoom(): Promise<void> {
    const { sessionsMax, sessionIdleMs } = this.#limits;
    if (this.#sessions.size < sessionsMax) return;
    const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest && this.#options.clock.now() - oldest[1].usedAt >= sessionIdleMs) {
      this.#remember(oldest[0], "Its pages were closed because other conversations needed the browser.");
      await this.forget(oldest[0]);
      return;
    }
    throw new ToolError(
      "too_many_sessions",
      `${sessionsMax} conversations have pages open already. Close them with browser.page.close, or try again in a few minutes.`,
      { retryable: true },
    );
  }

  async #watch(launched: Launched, over: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const { watchMs, idleMs, memoryBytesMax } = this.#limits;
    while (!over.aborted) {
      await clock.sleep(watchMs, over);
      if (over.aborted) return;
      const usedAt = Math.max(0, ...[...this.#sessions.values()].map((session) => session.usedAt));
      if (this.#busy === 0 && clock.now() - usedAt >= idleMs) {
        return this.#end("The browser was closed because it had not been used for a while.");
      }
      const bytes = await memoryOf(launched);
      if (over.aborted) return;
      if (bytes > memoryBytesMax) {
        return this.#end(
          `The browser was closed because it held more than ${sizeInWords(memoryBytesMax)} of memory.`,
        );
      }
    }
  }
}

const OPEN_ONE = "Open one with browser.page.open.";
const LOST_MAX = 100;

/** What the browser's processes hold for themselves; 0 where the system does not tell. */
export async function memoryOf({ browser }: Launched): Promise<number> {
  try {
    const told = await browser.newBrowserCDPSession();
    const { processInfo } = await told.send("SystemInfo.getProcessInfo");
    await told.detach();
    const sizes = await Promise.all(processInfo.map(({ id }) => anonymousBytes(id)));
    return sizes.reduce((sum, size) => sum + size, 0);
  } catch {
    return 0; // it is ending, and then holds nothing
  }
}

async function anonymousBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
}
