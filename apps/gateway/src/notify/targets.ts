import { spawn } from "node:child_process";
import { LIMITS } from "@elwood/core/base/limits";
import type { Approval } from "@elwood/core/policy/approval";
import type { Notice, NotifyTarget } from "@elwood/runtime/notify/notifier";
import type { Clock, Log } from "@elwood/runtime/ports/ports";
import type { PushSubscriptions } from "./push-subscriptions.ts";
import { sendPush } from "./web-push.ts";

/** What the notifier needs of the chat services that are connected. */
export interface NotifyChannels {
  /** Shows the card of an approval in a chat, once. False where the channel is not open. */
  show(approval: Approval, channel: string, chat: string): Promise<boolean>;
  announce(notice: {
    readonly channel: string;
    readonly chat: string;
    readonly subject: string;
    readonly markdown: string;
    readonly plain: true;
  }): Promise<boolean>;
}

export interface TargetDeps {
  readonly subscriptions: PushSubscriptions;
  /** Loaded when something is to be said in a chat. */
  readonly channels: () => Promise<NotifyChannels | undefined>;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly log: Log;
  /** The page, as the owner reaches it. */
  readonly pageLink: (path: string) => string;
  /** What the process was started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `page`, `desktop`, or a chat as `telegram:12345`. */
export function notifyTargets(names: readonly string[], deps: TargetDeps): NotifyTarget[] {
  return [...new Set(names)].map((name) => {
    if (name === "page") return { name, send: (notice) => sendToPages(notice, deps) };
    if (name === "desktop") return { name, send: (notice) => showOnDesktop(notice, deps) };
    const [channel = "", ...chat] = name.split(":");
    return { name, send: (notice) => sendToChat(notice, channel, chat.join(":"), deps) };
  });
}

/** Every browser that asked to be woken; one that took that back is forgotten. */
async function sendToPages(notice: Notice, deps: TargetDeps): Promise<void> {
  const { subscriptions, fetch, clock, log } = deps;
  const browsers = await subscriptions.list();
  if (browsers.length === 0) return;
  const vapid = await subscriptions.vapid();
  const { key, title, lines, path } = notice;
  const text = JSON.stringify({ key, title, body: lines.join("\n").slice(0, BODY_CHARS_MAX), path });
  const failed: string[] = [];
  for (const browser of browsers) {
    const signal = AbortSignal.timeout(LIMITS.pushMs);
    const outcome = await sendPush(browser, text, { fetch, vapid, now: () => clock.now(), signal }).catch(
      (error: unknown) => ({ kind: "failed", why: String(error) }) as const,
    );
    const service = new URL(browser.endpoint).host;
    if (outcome.kind === "gone") await subscriptions.remove(browser.endpoint);
    else if (outcome.kind === "failed") {
      failed.push(`${service}: ${outcome.why}`);
      log.warn("a browser could not be woken", { service, why: outcome.why });
    }
  }
  // Where one was told, the owner was.
  if (failed.length === browsers.length) throw new Error(failed.join("; "));
}

/** A push service takes at most 4,096 bytes. */
const BODY_CHARS_MAX = 800;

/** In a chat the card itself says that something waits; only what was told before is said in words. */
async function sendToChat(notice: Notice, channel: string, chat: string, deps: TargetDeps): Promise<void> {
  const channels = await deps.channels();
  if (!channels) throw new Error(`${channel} is not connected`);
  if (!notice.reminder) {
    for (const approval of notice.approvals) {
      if (!(await channels.show(approval, channel, chat))) throw new Error(`${channel} is not connected`);
    }
    return;
  }
  const markdown = [notice.title, ...notice.lines, deps.pageLink(notice.path)].join("\n");
  const subject = `notify:${notice.approvals.map(({ id }) => id).join(",")}`.slice(0, SUBJECT_CHARS_MAX);
  if (!(await channels.announce({ channel, chat, subject, markdown, plain: true })))
    throw new Error(`${channel} is not connected`);
}

const SUBJECT_CHARS_MAX = 200;

/** By the program that the system has for it. Nothing of the text is taken for an option. */
function showOnDesktop(notice: Notice, { env }: TargetDeps): Promise<void> {
  const body = notice.lines.join("\n");
  const [program, ...args]: [string, ...string[]] =
    process.platform === "darwin"
      ? ["osascript", "-e", APPLE_SCRIPT, notice.title, body]
      : ["notify-send", "--app-name=Elwood", "--", notice.title, body];
  return new Promise((resolve, reject) => {
    const given = Object.fromEntries(DESKTOP_VARIABLES.map((name) => [name, env[name]]));
    const child = spawn(program, args, { stdio: "ignore", timeout: LIMITS.pushMs, env: given });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${code ?? "a signal"}`)),
    );
  });
}

/** What such a program needs to find the desktop; no secret is among them. */
const DESKTOP_VARIABLES = [
  "PATH",
  "HOME",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XDG_RUNTIME_DIR",
  "DBUS_SESSION_BUS_ADDRESS",
] as const;

const APPLE_SCRIPT =
  "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";
