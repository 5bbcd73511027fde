import { homedir } from "node:os";
import { join as joinPath } from "node:path";
import { fail, FailureError } from "@elwood/core/base/failure";
import type { SessionSettingsChange } from "@elwood/core/message/session";
import { systemClock } from "@elwood/platform/system";
import { growingWaits, type GatewayClient } from "@elwood/sdk/client";
import { remoteLink, type Link } from "../connect.ts";
import { editText } from "../editor.ts";
import { findSession } from "../find-session.ts";
import { EXIT, type Io } from "../io.ts";
import { JoinedGateway } from "../joined-gateway.ts";
import { openBrowser } from "../open-browser.ts";
import { paintFor } from "../paint.ts";
import { reportFailure } from "../failure-text.ts";
import { CHAT_WORDS as WORDS, speakInChat } from "./words.ts";

export interface ChatOptions {
  readonly session?: string;
  readonly continueLast?: boolean;
  readonly provider?: string;
  readonly model?: string;
  readonly profile?: string;
  /** The first message. */
  readonly words?: string;
  readonly stream?: boolean;
  readonly panes?: boolean;
  /** A gateway elsewhere; without them the one of this machine is joined. */
  readonly url?: string;
  readonly token?: string;
}

/** A chat outlives many gateways: it tries again for as long as it is open. */
const RECONNECTS_MAX = 10_000;

/** Joins the gateway of this machine. One that this process has to run itself writes its log there. */
export type JoinGateway = (log: Io["stderr"]) => Promise<Link>;

/** Whether the terminal can show the chat screen. */
export function canChat(io: Io): boolean {
  return io.stdin.isTTY === true && io.stdout.isTTY === true && io.env["TERM"] !== "dumb";
}

/** `elwood chat`: a conversation on the screen of the terminal, or line by line where it has none. */
export async function chat(io: Io, options: ChatOptions, join: JoinGateway): Promise<number> {
  speakInChat(io.spoken && (await import("./german-words.ts")).germanChat(io.spoken));
  const remote = remoteEndpoint(io, options);
  if (!canChat(io)) {
    const { lineChat } = await import("./line-chat.ts");
    return lineChat(io, options, remote ? () => remoteLink(remote, "cli") : () => join(io.stderr));
  }
  const [{ getNativeClipboard, ProcessTerminal }, { Screen }, { ChatApp }, { storeFile }, own] =
    await screenModules();
  const folder = configFolder(io);
  const { keys, problems } = await own.readKeys(joinPath(folder, "keys.yaml"));
  const paint = paintFor(io);
  // The box is there while the gateway is joined: what is typed meanwhile is in it afterwards.
  const early = new own.EarlyEvents();
  const ascii = own.isAsciiLocale(io.env);
  const screen = new Screen(new ProcessTerminal(), early, paint, { keys, ascii, refreshSize });
  early.screen = screen;
  screen.start();
  const log = own.screenLog(screen, paint, io.stderr);
  const joinAny = remote ? () => remoteLink(remote, "cli") : () => join(log);
  const waits = remote ? growingWaits(250, 10_000) : undefined;
  const joining = joinAny();
  const link = await early.unlessLeft(joining);
  if (!link) {
    await (await joining).leave();
    return EXIT.ok;
  }
  const gateway = new JoinedGateway(joinAny, link, RECONNECTS_MAX, waits);
  const left = new AbortController();
  const client = gateway.client(left.signal);
  const drafts = new own.DraftFile(joinPath(folder, "draft.txt"));
  let hungUp: (() => void) | undefined;
  try {
    // The conversation and the model that were named are looked up at once.
    await Promise.race([new Promise<void>((ready) => client.onReady(ready)), client.closed]);
    const sessionKey = await chosenSession(client, options);
    const settings = await chosenSettings(client, options);
    const endpoint = await gateway.endpoint();
    const addressOf = (path: string) => new URL(path, endpoint.url.replace(/^ws/, "http")).href;
    const app = new ChatApp(
      {
        client,
        io,
        paint,
        screen: (events) => {
          early.events = events;
          return screen;
        },
        now: () => systemClock.now(),
        edit: (name, text) => editText(io, { name, text }),
        prompts: new own.PromptFiles(joinPath(folder, "prompts")),
        store: async (file) => storeFile(await gateway.endpoint(), file),
        clipboardPicture: async () => getNativeClipboard()?.getImage(),
        ...(endpoint.socket
          ? { hasPage: false }
          : { open: (path: string) => openBrowser(addressOf(path), io.env), addressOf }),
        keys,
      },
      {
        sessionKey,
        settings,
        notes: problems,
        draft: drafts.take(),
        ...(options.words === undefined ? {} : { first: options.words }),
        ...(options.stream === undefined ? {} : { stream: options.stream }),
        ...(options.panes === undefined ? {} : { panes: options.panes }),
      },
    );
    // A terminal that is gone takes nothing along: runs are the gateway's, and what was written is kept.
    hungUp = () => {
      process.stdin.on("error", () => undefined);
      drafts.keep(app.unsent);
      app.exit();
    };
    process.once("SIGHUP", hungUp);
    await app.run();
    return EXIT.ok;
  } catch (error) {
    await screen.stop();
    if (error instanceof FailureError) return reportFailure(io, error.failure, false);
    throw error;
  } finally {
    if (hungUp) process.off("SIGHUP", hungUp);
    left.abort();
    await client.close();
    await gateway.leave();
  }
}

function screenModules() {
  return Promise.all([
    import("@earendil-works/pi-tui"),
    import("./screen.ts"),
    import("./chat-app.ts"),
    import("./attachments.ts"),
    ownModules(),
  ]);
}

async function ownModules() {
  const [{ readKeys }, { isAsciiLocale }, { PromptFiles }, { EarlyEvents }, { screenLog }, { DraftFile }] =
    await Promise.all([
      import("./keys.ts"),
      import("./ascii-text.ts"),
      import("./prompt-files.ts"),
      import("./early-events.ts"),
      import("./screen-log.ts"),
      import("./draft-file.ts"),
    ]);
  return { readKeys, isAsciiLocale, PromptFiles, EarlyEvents, screenLog, DraftFile };
}

/** Where the owner's own files for the chat lie: keys and prompts. */
function configFolder({ env }: Io): string {
  return joinPath(env["XDG_CONFIG_HOME"] || joinPath(env["HOME"] || homedir(), ".config"), "elwood");
}

function remoteEndpoint(
  io: Io,
  { url, token }: ChatOptions,
): { readonly url: string; readonly token: string } | undefined {
  if (url === undefined) {
    if (token === undefined) return undefined;
    return fail("INVALID_INPUT", WORDS.start.tokenAlone);
  }
  const given = token ?? io.env["ELWOOD_TOKEN"];
  if (!given) return fail("INVALID_INPUT", WORDS.start.noToken);
  if (!URL.canParse(url) || !/^(?:https?|wss?):$/.test(new URL(url).protocol))
    return fail("INVALID_INPUT", WORDS.start.noAddress(url));
  return { url, token: given };
}

export async function chosenSession(
  client: Pick<GatewayClient, "call">,
  { session, continueLast }: ChatOptions,
): Promise<string | undefined> {
  if (session !== undefined) return (await findSession(client, session)).sessionKey;
  if (continueLast !== true) return undefined;
  const { sessions } = await client.call("sessions.list", { limit: 1 });
  return sessions[0]?.sessionKey;
}

/** `--provider` alone takes its first model; with `--model` it goes before the name. */
export async function chosenSettings(
  client: Pick<GatewayClient, "call">,
  { provider, model, profile }: ChatOptions,
): Promise<SessionSettingsChange> {
  const pays = profile === undefined ? {} : { profile };
  if (provider === undefined && model === undefined) return pays;
  const named =
    model === undefined || provider === undefined || model.includes("/") ? model : `${provider}/${model}`;
  if (named !== undefined) {
    await client.call("models.check", { model: named });
    return { model: named, ...pays };
  }
  const { providers } = await client.call("models.list", {});
  const first = providers.find((each) => each.provider === provider)?.models[0]?.model;
  if (first === undefined) {
    const known = providers.map((each) => each.provider).join(", ");
    return fail("NOT_FOUND", WORDS.start.noProvider(provider ?? "", known));
  }
  return { model: first, ...pays };
}

/** Node learns of a new size by a signal; its stream can also ask, which its types do not know. */
function refreshSize(): void {
  const stdout: typeof process.stdout & { _refreshSize?: () => void } = process.stdout;
  stdout._refreshSize?.();
}
