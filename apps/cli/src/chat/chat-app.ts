import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { showLine } from "@elwood/core/base/show";
import { LIMITS } from "@elwood/core/base/limits";
import { FailureError } from "@elwood/core/base/failure";
import { textOf } from "@elwood/core/message/message";
import { unframed } from "@elwood/core/message/untrusted-frame";
import type { SessionSettingsChange } from "@elwood/core/message/session";
import { POLICY_MODES, type PolicyMode } from "@elwood/core/policy/policy";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import { PROTOCOL_VERSION } from "@elwood/core/protocol/frames";
import { RequestError, type GatewayClient, type Push } from "@elwood/sdk/client";
import { Conversation } from "@elwood/sdk/view-state/conversation";
import { Outbox, type Entry } from "@elwood/sdk/view-state/outbox";
import { isOwnName, newOwnName } from "@elwood/sdk/view-state/own-name";
import { PendingApprovals } from "@elwood/sdk/view-state/pending-approvals";
import { answerOf, type Turn } from "@elwood/sdk/view-state/turn";
import { Answer } from "../answer.ts";
import { findSession } from "../find-session.ts";
import { durationText } from "../duration.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import { TerminalMarkdown } from "../terminal-markdown.ts";
import { cutToWidth, displayWidth, visibleText } from "../terminal-text.ts";
import { VERSION } from "../version.ts";
import { ApprovalChooser } from "./approval-chooser.ts";
import {
  FILES_MAX,
  mentionedFiles,
  pictureAttachment,
  readAttachment,
  textAttachment,
  type Attachment,
  type StoredFile,
} from "./attachments.ts";
import { callCard, runningCall } from "./call-card.ts";
import { chatCommands, readCommand, type ChatActions, type ReportName } from "./commands.ts";
import { completions } from "./completion.ts";
import { KEY_ACTIONS, keyInWords, USUAL_KEYS, type ActionName, type KeyTable } from "./keys.ts";
import { McpOffers, promptArguments, readPromptLine, type OfferedPrompt } from "./mcp-offers.ts";
import { runOwnCommand } from "./own-command.ts";
import type { Panes } from "./panes.ts";
import type { PromptFiles } from "./prompt-files.ts";
import { evidenceLines, reportOn } from "./reports.ts";
import { Screen, type Choice } from "./screen.ts";
import { clipboardSequence, notification } from "./terminal-signals.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** Of a conversation that is taken up again, so many of the last answers are printed. */
const SHOWN_AGAIN = 3;
/** So often the line about what goes on is drawn. */
const TICK_MS = 250;
const LEAVE_MS = 2_000;
const LOOK_EVERY_MS = 10_000;
const SESSIONS_LISTED = 100;
/** What is pasted and longer than this goes along as a file. */
const PASTE_CHARS_MAX = 4_000;
/** What was sent in so many conversations is searched, so many messages of each. */
const HISTORY_SESSIONS = 20;
const HISTORY_MESSAGES = 100;
const TITLE_SHOWN = 40;

export interface ChatDeps {
  readonly client: GatewayClient;
  readonly io: Io;
  readonly paint: Paint;
  readonly screen: (events: ConstructorParameters<typeof Screen>[1]) => Screen;
  readonly now: () => number;
  /** Opens a text in the owner's editor. */
  readonly edit: (name: string, text: string) => Promise<string>;
  readonly prompts: PromptFiles;
  /** Stores a file with the gateway. */
  readonly store: (file: Attachment) => Promise<StoredFile>;
  /** The picture in the clipboard: undefined where it cannot be read, null where there is none. */
  readonly clipboardPicture?: () => Promise<Uint8Array | null | undefined>;
  /** Opens an address of the gateway's; false where there is no desktop to do so. */
  readonly open?: (path: string) => boolean;
  /** The whole address of a path of the gateway's. */
  readonly addressOf?: (path: string) => string;
  /** False where all runs in this process and no port is open. */
  readonly hasPage?: boolean;
  readonly keys?: KeyTable;
}

export interface ChatStart {
  readonly sessionKey?: string | undefined;
  /** Settings that the command line gave. */
  readonly settings?: SessionSettingsChange;
  /** The first message. */
  readonly first?: string | undefined;
  readonly stream?: boolean;
  readonly panes?: boolean;
  /** What was written when the terminal was lost: it is in the box again. */
  readonly draft?: string;
  /** Said at the start, such as what is wrong with the file of keys. */
  readonly notes?: readonly string[];
}

/**
 * `elwood chat`: a conversation in a terminal. The state is the page's (`view-state`); this class
 * prints what changes, and turns keys and commands into requests.
 */
export class ChatApp implements ChatActions {
  readonly #deps: ChatDeps;
  readonly #screen: Screen;
  readonly #outbox: Outbox;
  readonly #approvals: PendingApprovals;
  readonly #chooser: ApprovalChooser;
  readonly #offers: McpOffers;
  /** What an answer writes to. */
  readonly #io: Io;
  readonly #left = Promise.withResolvers<void>();
  #open: Conversation;
  /** Turns that are printed already, or being printed. */
  readonly #printed = new Map<Turn, Answer | undefined>();
  /** What is sent as soon as the gateway is there. */
  #first: string;
  readonly #start: ChatStart;
  readonly #keys: KeyTable;
  /** Settings of a conversation that the gateway does not know yet. */
  #unsaved: SessionSettingsChange;
  #usual = "";
  /** The version of the gateway that was told about. */
  #version = "";
  #mode = "";
  /** Why the gateway only reads. */
  #storage: string | undefined;
  #notice = "";
  #leaveAt = 0;
  #editAt = 0;
  /** The message whose place the next one takes. */
  #editing: Turn | undefined;
  #since = 0;
  #lost = false;
  #folded = true;
  /** Goes with the next message. */
  #files: Attachment[] = [];
  #pasted = 0;
  /** A command of the owner's own, while it runs. */
  #ownCommand: AbortController | undefined;
  #mayRunCommands = false;
  #commandOutput = "";
  /** Pictures of this conversation, in the order in which they were shown. */
  readonly #pictures: { readonly blobId: string }[] = [];
  /** What is known of calls beside their pushes. */
  readonly #calls = new Map<string, Promise<unknown>>();
  readonly #targets = new Map<string, string>();
  /** So many thoughts of a turn were printed, and since when the last one is thought. */
  readonly #thoughts = new Map<Turn, { printed: number; since: number | undefined }>();
  #panes: {
    readonly sessions: readonly { readonly key: string; readonly title: string }[];
    readonly right: readonly string[];
  } = {
    sessions: [],
    right: [],
  };

  constructor(deps: ChatDeps, start: ChatStart = {}) {
    this.#deps = deps;
    const { client, paint } = deps;
    const { sessionKey, settings = {}, first = "" } = start;
    this.#start = start;
    this.#keys = deps.keys ?? USUAL_KEYS;
    this.#unsaved = settings;
    this.#screen = deps.screen({
      submit: (text) => this.#submitted(text),
      key: (does, empty) => this.#key(does, empty),
      paste: (text) => this.#paste(text),
      panes: (): Panes => ({
        left: this.#panes.sessions.map(({ title }) => title),
        right: this.#panes.right,
      }),
      pickPane: (index) => {
        const picked = this.#panes.sessions[index];
        if (picked) void this.#guarded(() => this.load(picked.key));
      },
      live: () => this.#live(),
      footer: (width) => this.#footer(width),
    });
    this.#io = { ...deps.io, stdout: this.#stream(), stderr: this.#stream() };
    this.#outbox = new Outbox(
      {
        mayGo: (entry) =>
          entry.sessionKey !== this.#open.sessionKey || (this.#open.loaded && !this.#open.unfinished),
        created: (own, key) => {
          if (this.#open.sessionKey === own) this.#open.sessionKey = key;
        },
        accepted: (entry, runId) => this.#accepted(entry, runId),
        refused: (entry, why) => {
          this.say(WORDS.notSent(why));
          if (this.#screen.text === "") this.#screen.setText(entry.text);
        },
        changed: () => this.#showUnsent(),
      },
      { read: () => undefined, write: () => undefined },
    );
    this.#approvals = new PendingApprovals(client, () => this.#signal(WORDS.needsYou));
    this.#chooser = new ApprovalChooser({
      approvals: this.#approvals,
      screen: this.#screen,
      io: this.#io,
      paint,
      say: (text) => this.say(text),
      edit: deps.edit,
    });
    this.#open = this.#conversation(sessionKey ?? newOwnName());
    this.#offers = new McpOffers(client, deps.now);
    this.#screen.complete(
      completions({
        folder: deps.io.cwd,
        now: deps.now,
        argumentsOf: (command, begun) => this.#argumentsOf(command, begun),
        resources: () => this.#offers.resources(),
        prompts: () => this.#offers.prompts(),
      }),
    );
    this.#first = first;
  }

  /** Resolves when the owner leaves. */
  async run(): Promise<void> {
    const { client } = this.#deps;
    const stops = [
      client.onPush((push) => this.#pushed(push)),
      client.onReady(() => void this.#ready()),
      client.onGap((runId) => void (this.#open.turnOf(runId) && this.#sync())),
      client.state.subscribe((state) => this.#connection(state)),
      this.#approvals.all.subscribe(() => this.#asked()),
    ];
    const tick = setInterval(() => this.#tick(), TICK_MS);
    const look = setInterval(() => client.ready && void this.#open.resumeSilent(client), LOOK_EVERY_MS);
    this.#screen.start();
    for (const note of this.#start.notes ?? []) this.say(note);
    const { draft = "" } = this.#start;
    if (draft !== "") {
      this.say(WORDS.draftBack);
      // What was typed meanwhile stands behind it.
      this.#screen.setText(`${draft}${this.#screen.text}`);
    }
    if (this.#start.panes === true) void this.#guarded(() => this.togglePanes());
    try {
      if (client.ready) void this.#ready();
      await this.#left.promise;
    } finally {
      clearInterval(tick);
      clearInterval(look);
      for (const stop of stops) stop();
      this.#ownCommand?.abort();
      for (const { text } of this.#outbox.entries) this.say(WORDS.unsent(text));
      await this.#screen.stop();
    }
  }

  // ── what the owner can do (also by commands) ───────────────────────────────────────

  say(text: string): void {
    this.#screen.endLine();
    this.#screen.print(`${this.#deps.paint("dim", visibleText(text))}\n`);
  }

  help(): void {
    const lines = chatCommands().map(({ name, argument = "", description }) => {
      const usage = `/${name}${argument === "" ? "" : ` ${argument}`}`;
      return `  ${usage.padEnd(34)} ${description}`;
    });
    const keys = (Object.keys(KEY_ACTIONS) as ActionName[]).flatMap((action) => {
      const own = this.#keys[action];
      return own.length === 0 ? [] : [`  ${own.map(keyInWords).join(", ").padEnd(34)} ${WORDS.keys[action]}`];
    });
    const more = Object.entries(WORDS.signs).map(([sign, what]) => `  ${sign.padEnd(34)} ${what}`);
    this.#print([...lines, "", ...more, "", ...keys].join("\n"));
  }

  newSession(): void {
    this.#leave();
    this.#open = this.#conversation(newOwnName());
    this.say(WORDS.newSession);
  }

  async sessions(words: string): Promise<void> {
    const { client } = this.#deps;
    const found =
      words === ""
        ? (await client.call("sessions.list", { limit: SESSIONS_LISTED })).sessions
        : (await client.call("sessions.search", { query: words, limit: SESSIONS_LISTED })).hits.map(
            ({ session, snippet }) => ({ ...session, preview: snippet }),
          );
    const seen = new Set<string>();
    const sessions = found.filter(({ sessionKey }) => !seen.has(sessionKey) && seen.add(sessionKey));
    if (sessions.length === 0) return this.say(words === "" ? WORDS.noSessions : WORDS.noMatch);
    const choices = sessions.map(({ sessionKey, title, preview }): Choice => ({
      label: showLine(title === "" ? sessionKey : title),
      note: showLine(preview),
      pick: () => void this.#guarded(() => this.load(sessionKey)),
    }));
    this.#screen.choose({ title: WORDS.pickSession, choices, search: true, cancel: () => undefined });
  }

  async openSession(words: string): Promise<void> {
    if (words === "") return this.sessions("");
    await this.load((await findSession(this.#deps.client, words)).sessionKey);
  }

  async resumeLast(): Promise<void> {
    const { sessions } = await this.#deps.client.call("sessions.list", { limit: 2 });
    const last = sessions.find(({ sessionKey }) => sessionKey !== this.#open.sessionKey);
    if (!last) return this.say(WORDS.noSessions);
    await this.load(last.sessionKey);
  }

  async load(sessionKey: string): Promise<void> {
    this.#leave();
    this.#open = this.#conversation(sessionKey);
    await this.#sync();
    if (this.#screen.paned) await this.#fillPanes();
  }

  async save(title: string): Promise<void> {
    const { sessionKey } = this.#open;
    if (isOwnName(sessionKey)) return this.say(WORDS.nothingToSave);
    if (title === "") {
      this.#screen.ask({
        title: WORDS.titleBy,
        submit: (text) => void (text.trim() !== "" && this.#guarded(() => this.save(text.trim()))),
        cancel: () => undefined,
      });
      return;
    }
    const { session } = await this.#deps.client.call("sessions.rename", { sessionKey, title });
    this.#open.session.set(session);
    this.say(WORDS.titled(showLine(session.title)));
  }

  async exportSession(path: string): Promise<void> {
    const { sessionKey } = this.#open;
    if (isOwnName(sessionKey)) return this.say(WORDS.noAnswer);
    const format = path.toLowerCase().endsWith(".json") ? "json" : "markdown";
    const { filename, content } = await this.#deps.client.call("sessions.export", { sessionKey, format });
    const file = resolve(this.#deps.io.cwd, path === "" ? filename : path);
    try {
      await writeFile(file, content, { flag: "wx", mode: 0o600 });
      this.say(WORDS.exported(file));
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause)) throw cause;
      this.say(cause.code === "EEXIST" ? WORDS.exists(file) : WORDS.cannotWrite(file, String(cause.code)));
    }
  }

  editEarlier(): void {
    const turns = this.#open.turns.value.filter(
      ({ state, runId }) => state === "settled" && runId !== undefined,
    );
    if (turns.length === 0) return this.say(WORDS.nothingSent);
    const choices = turns.toReversed().map((turn): Choice => ({
      label: showLine(promptOf(turn)),
      pick: () => this.#edit(turn),
    }));
    this.#screen.choose({ title: WORDS.pickEarlier, choices, search: true, cancel: () => undefined });
  }

  /** Its words are in the box; what is sent next takes its place. */
  #edit(turn: Turn): void {
    this.#editing = turn;
    this.say(WORDS.editing);
    this.#screen.setText(promptOf(turn));
  }

  /** The last message once more, in the same words. */
  async retry(): Promise<void> {
    const turn = this.#lastSettled();
    if (turn?.runId === undefined) return this.say(WORDS.nothingSent);
    const { sessionKey } = this.#open;
    await this.#deps.client.call("chat.retry", { runId: turn.runId, sessionKey });
    await this.#sync();
  }

  /** Shows another version of the last message that has several, with what followed it. */
  async version(words: string): Promise<void> {
    const turn = this.#open.turns.value.findLast(({ versions }) => (versions?.of.length ?? 0) > 1);
    const of = turn?.versions?.of ?? [];
    const { runId: shown } = turn ?? {};
    if (turn === undefined || shown === undefined) return this.say(WORDS.noVersions);
    if (words === "") {
      const choices = of.map((runId, at): Choice => ({
        label: WORDS.versionOf(at + 1, of.length),
        note: runId === shown ? WORDS.versionShown : "",
        pick: () => void this.#guarded(() => this.#showVersion(runId)),
      }));
      this.#screen.choose({ title: WORDS.pickVersion, choices, cancel: () => undefined });
      return;
    }
    const runId = /^\d{1,6}$/.test(words) ? of[Number(words) - 1] : undefined;
    if (runId === undefined) return this.say(WORDS.versionWrong(of.length));
    await this.#showVersion(runId);
  }

  async #showVersion(runId: string): Promise<void> {
    const { sessionKey } = this.#open;
    const known = new Set(this.#printed.keys());
    await this.#deps.client.call("sessions.version", { runId, sessionKey });
    await this.#sync();
    // What was shown before is above, out of its place.
    const turns = this.#open.turns.value;
    const from = turns.findIndex((turn) => turn.runId === runId);
    for (const turn of from < 0 ? [] : turns.slice(from))
      if (known.has(turn) && turn.state === "settled") this.#printSettled(turn);
  }

  // ── settings of the conversation ───────────────────────────────────────────────────

  get #settings(): SessionSettingsChange {
    return isOwnName(this.#open.sessionKey) ? this.#unsaved : (this.#open.session.value ?? {});
  }

  get #model(): string {
    return this.#settings.model ?? this.#usual;
  }

  /** Kept with the conversation; one that the gateway does not know yet gets them with its first message. */
  async #configure(change: SessionSettingsChange): Promise<void> {
    const { sessionKey } = this.#open;
    if (isOwnName(sessionKey)) {
      this.#unsaved = { ...this.#unsaved, ...change };
      return;
    }
    const { pins, ...rest } = change;
    const { session } = await this.#deps.client.call("sessions.configure", {
      sessionKey,
      ...rest,
      ...(pins === undefined ? {} : { pins: pins === null ? null : [...pins] }),
    });
    if (this.#open.sessionKey === sessionKey) this.#open.session.set(session);
  }

  settings(): void {
    const { profile, system, temperature, topP, tools } = this.#settings;
    const { settings: SETTINGS } = WORDS;
    const rows: readonly (readonly [string, string, () => unknown])[] = [
      [SETTINGS.model, this.#model, () => this.model("")],
      [SETTINGS.system, system ? showLine(system) : SETTINGS.nothing, () => this.#writeSystem()],
      [SETTINGS.temperature, String(temperature ?? SETTINGS.usual), () => this.#askSampling("temperature")],
      [SETTINGS.topP, String(topP ?? SETTINGS.usual), () => this.#askSampling("topP")],
      [
        SETTINGS.tools,
        tools === false ? SETTINGS.off : SETTINGS.on,
        () => this.tools(tools === false ? "on" : "off"),
      ],
      [SETTINGS.mode, this.#mode, () => this.#cycleMode()],
      [SETTINGS.longLines, this.#screen.wrap ? SETTINGS.wrapped : SETTINGS.cut, () => this.toggleWrap()],
      [SETTINGS.calls, this.#folded ? SETTINGS.folded : SETTINGS.whole, () => this.toggleFold()],
      [SETTINGS.profile, profile ?? SETTINGS.usual, () => this.profile("")],
    ];
    const choices = rows.map(([label, note, pick]): Choice => ({
      label,
      note,
      pick: () => void this.#guarded(pick),
    }));
    this.#screen.choose({ title: WORDS.pickSetting, choices, cancel: () => undefined });
  }

  async model(name: string): Promise<void> {
    if (name === "") return this.#pickModel();
    if (name === "usual") {
      await this.#configure({ model: null });
      return this.say(WORDS.modelUsual);
    }
    await this.#deps.client.call("models.check", { model: name });
    await this.#configure({ model: name });
    this.say(WORDS.modelIs(this.#model));
  }

  async profile(id: string): Promise<void> {
    if (id === "") return this.say(WORDS.profileNow(this.#settings.profile ?? undefined));
    await this.#configure({ profile: id === "usual" ? null : id });
    this.say(WORDS.profileNow(id === "usual" ? undefined : id));
  }

  async system(text: string): Promise<void> {
    if (text === "") {
      const { system } = this.#settings;
      return system ? this.#print(WORDS.systemNow(system)) : this.#writeSystem();
    }
    if (text === "none") {
      await this.#configure({ system: null });
      return this.say(WORDS.systemNone);
    }
    const [, name] = /^@(.+)$/.exec(text) ?? [];
    const words = name === undefined ? text : await this.#deps.prompts.read(name);
    if (words.length > LIMITS.sessionSystemCharsMax)
      return this.say(WORDS.systemLong(LIMITS.sessionSystemCharsMax));
    await this.#configure({ system: words });
    this.say(WORDS.systemIs);
  }

  async #writeSystem(): Promise<void> {
    const text = this.#settings.system ?? "";
    const written = (await this.#screen.suspended(() => this.#deps.edit("system.md", text))).trim();
    await this.system(written === "" ? "none" : written);
  }

  async sampling(which: "temperature" | "topP", value: string): Promise<void> {
    const name = which === "temperature" ? "temperature" : "top-p";
    const now = this.#settings[which];
    if (value === "")
      return this.say(
        now === undefined || now === null ? WORDS.samplingUsual(name) : WORDS.samplingIs(name, now),
      );
    if (value === "usual") {
      await this.#configure({ [which]: null });
      return this.say(WORDS.samplingUsual(name));
    }
    const number = Number(value.replace(",", "."));
    const range = WORDS.samplingRange[which];
    const fits = which === "temperature" ? number >= 0 && number <= 2 : number > 0 && number <= 1;
    if (!fits) return this.say(WORDS.samplingWrong(name, range));
    await this.#configure({ [which]: number });
    this.say(WORDS.samplingIs(name, number));
  }

  #askSampling(which: "temperature" | "topP"): void {
    const [usage] = chatCommands().filter(({ name }) => name === (which === "topP" ? "top-p" : which));
    this.#screen.ask({
      title: `${usage?.description ?? ""} ${usage?.argument ?? ""}`,
      submit: (text) => void this.#guarded(() => this.sampling(which, text.trim())),
      cancel: () => undefined,
    });
  }

  async tools(state: string): Promise<void> {
    if (state === "on" || state === "off") {
      await this.#configure({ tools: state === "off" ? false : null });
      return this.say(state === "off" ? WORDS.toolsOff : WORDS.toolsOn);
    }
    if (state !== "") return this.say(WORDS.toolsWrong);
    const { tools } = await this.#deps.client.call("tools.list", {});
    const choices = tools.map(({ toolId, description, risk }): Choice => ({
      label: toolId,
      note: `${risk} · ${showLine(description)}`,
      pick: () => this.#print(`  ${toolId} · ${risk}\n  ${description}`),
    }));
    const off = this.#settings.tools === false;
    this.#screen.choose({ title: WORDS.pickTool(off), choices, search: true, cancel: () => undefined });
  }

  async mode(name: string): Promise<void> {
    if (name === "") return this.#cycleMode();
    const mode = POLICY_MODES.find((each) => each === name);
    if (mode === undefined) return this.say(WORDS.modeWrong);
    const now = POLICY_MODES.indexOf(this.#mode as PolicyMode);
    if (POLICY_MODES.indexOf(mode) > now) return this.#confirmMode([mode]);
    await this.#setMode(mode);
  }

  /** One step tighter at once; from the tightest, what asks less is confirmed. */
  async #cycleMode(): Promise<void> {
    const at = POLICY_MODES.indexOf(this.#mode as PolicyMode);
    const tighter = at > 0 ? POLICY_MODES[at - 1] : undefined;
    if (tighter === undefined) return this.#confirmMode(POLICY_MODES.slice(1));
    await this.#setMode(tighter);
  }

  #confirmMode(looser: readonly PolicyMode[]): void {
    const choices: Choice[] = [
      { label: WORDS.modeStay(this.#mode), pick: () => undefined },
      ...looser.map((mode) => ({
        label: WORDS.modeTo(mode),
        tone: "bad" as const,
        pick: () => void this.#guarded(() => this.#setMode(mode, true)),
      })),
    ];
    this.#screen.choose({ title: WORDS.modeLooser(this.#mode), choices, cancel: () => undefined });
  }

  async #setMode(mode: PolicyMode, confirm = false): Promise<void> {
    const set = await this.#deps.client.call("policy.mode", { mode, ...(confirm ? { confirm } : {}) });
    this.#mode = set.mode;
    this.say(WORDS.modeIs(set.mode));
    if (set.note !== undefined) this.say(set.note);
  }

  // ── what was said and done ─────────────────────────────────────────────────────────

  stop(): void {
    const turn = this.#open.unfinished;
    if (turn?.runId === undefined) return this.say(WORDS.nothingRuns);
    turn.stopAsked = true;
    this.#outbox.pause(this.#open.sessionKey);
    this.#notice = WORDS.stopped;
    const { runId } = turn;
    void this.#guarded(() => this.#deps.client.call("chat.abort", { runId }));
  }

  approvals(): void {
    const waiting = this.#approvals.pending;
    if (waiting.length === 0) return this.say(WORDS.noApprovals);
    this.#chooser.askAll(waiting);
  }

  async report(what: ReportName, words: string): Promise<void> {
    const text = await reportOn(what, this.#deps.client, {
      sessionKey: this.#open.sessionKey,
      runId: this.#lastSettled()?.runId,
      words,
    });
    this.#print(text);
  }

  async undo(): Promise<void> {
    const turn = this.#lastSettled();
    if (turn?.runId === undefined) return this.say(WORDS.nothingToUndo);
    const { activity } = await this.#deps.client.call("runs.activity", { runId: turn.runId });
    for (const { callId, status, risk } of activity.toReversed()) {
      if (status !== "succeeded" || risk === "read") continue;
      const { call } = await this.#deps.client.call("calls.get", { callId });
      if (!call.canUndo) continue;
      const { ok, text } = await this.#deps.client.call("calls.undo", { callId });
      const said = visibleText(unframed(text));
      return this.say(ok ? WORDS.undone(said) : WORDS.notUndone(said));
    }
    return this.say(WORDS.nothingToUndo);
  }

  async pin(words: string): Promise<void> {
    const pins = this.#settings.pins ?? [];
    if (words === "list") return this.#pickPin(pins);
    const runId = this.#lastSettled()?.runId;
    if (runId === undefined) return this.say(WORDS.noAnswer);
    if (words === "off") {
      const left = pins.filter((pin) => pin !== runId);
      await this.#configure({ pins: left.length === 0 ? null : left });
      return this.say(WORDS.unpinned);
    }
    if (pins.includes(runId)) return this.say(WORDS.alreadyPinned);
    await this.#configure({ pins: [...pins, runId] });
    this.say(WORDS.pinned);
  }

  #pickPin(pins: readonly string[]): void {
    const turns = pins.flatMap((runId) => this.#open.turnOf(runId) ?? []);
    if (turns.length === 0) return this.say(WORDS.noPins);
    const choices = turns.map((turn): Choice => ({
      label: showLine(promptOf(turn)),
      note: showLine(answerOf(turn)),
      pick: () => this.#printSettled(turn),
    }));
    this.#screen.choose({ title: WORDS.pickPin, choices, search: true, cancel: () => undefined });
  }

  async snippets(words: string): Promise<void> {
    const { prompts } = this.#deps;
    const [, saved] = /^save\s+(.+)$/.exec(words) ?? [];
    if (saved !== undefined) {
      const last = this.#open.turns.value.at(-1);
      if (!last) return this.say(WORDS.nothingSent);
      const kept = await prompts.save(saved, promptOf(last));
      return this.say(kept ? WORDS.snippetSaved(saved, prompts.folder) : WORDS.snippetExists(saved));
    }
    if (words !== "") return this.#screen.setText(await prompts.read(words));
    const names = await prompts.list();
    if (names.length === 0) return this.say(WORDS.noSnippets(prompts.folder));
    const choices = names.map((name): Choice => ({
      label: name,
      pick: () => void this.#guarded(async () => this.#screen.setText(await prompts.read(name))),
    }));
    this.#screen.choose({ title: WORDS.pickSnippet, choices, search: true, cancel: () => undefined });
  }

  async attach(path: string): Promise<void> {
    if (path === "" && this.#commandOutput === "") return this.say(WORDS.noOutput);
    this.#addFile(
      path === ""
        ? textAttachment(this.#commandOutput, "command-output.txt")
        : await readAttachment(path, this.#deps.io.cwd),
    );
    this.say(WORDS.attached(this.#files.map(({ name }) => name).join(", ")));
  }

  #addFile(file: Attachment): boolean {
    if (this.#files.length >= FILES_MAX) {
      this.say(WORDS.tooManyFiles(FILES_MAX));
      return false;
    }
    this.#files.push(file);
    return true;
  }

  /** What was sent before, as the gateway keeps it: what was forgotten there is not found here. */
  async history(): Promise<void> {
    const { client } = this.#deps;
    const { sessions } = await client.call("sessions.list", { limit: HISTORY_SESSIONS });
    const pages = await Promise.all(
      sessions.map(({ sessionKey }) => client.call("chat.history", { sessionKey, limit: HISTORY_MESSAGES })),
    );
    const sent = pages
      .flatMap(({ messages }) => messages)
      .filter(({ role, origin, content }) => role === "user" && origin === "owner" && content.trim() !== "")
      .toSorted((a, b) => b.ts - a.ts)
      .map(({ content }) => content);
    const texts = [...new Set(sent)];
    if (texts.length === 0) return this.say(WORDS.nothingSent);
    const choices = texts.map((text): Choice => ({
      label: showLine(text),
      pick: () => this.#screen.setText(text),
    }));
    this.#screen.choose({ title: WORDS.pickHistory, choices, search: true, cancel: () => undefined });
  }

  copyCode(): void {
    const turn = this.#lastSettled();
    const blocks = turn ? [...answerOf(turn).matchAll(/^ {0,3}```[^\n]*\n([^]*?)^ {0,3}```/gm)] : [];
    const code = blocks.at(-1)?.[1];
    if (code === undefined) return this.say(WORDS.noCode);
    const sequence = clipboardSequence(code);
    if (sequence === undefined) return this.say(WORDS.copyTooLong);
    this.#screen.signal(sequence);
    this.say(WORDS.copied);
  }

  async openPicture(): Promise<void> {
    const last = this.#pictures.at(-1);
    if (!last) return this.say(WORDS.noPicture);
    if (this.#deps.hasPage === false) return this.say(WORDS.noPage);
    const { url } = await this.#deps.client.call("blobs.ticket", { blobId: last.blobId });
    if (this.#deps.open?.(url) === true) return this.say(WORDS.pictureOpened);
    this.say(WORDS.pictureAt(this.#deps.addressOf?.(url) ?? url));
  }

  async toggleFold(): Promise<void> {
    this.#folded = !this.#folded;
    this.say(this.#folded ? WORDS.folded : WORDS.unfolded);
    const turn = this.#lastSettled();
    if (this.#folded || !turn) return;
    for (const part of turn.parts) {
      if (part.kind === "thinking") this.#print(quoted(part.text));
      if (part.kind !== "calls") continue;
      for (const { callId, parent } of part.calls) {
        if (parent !== undefined) continue;
        const { call } = await this.#deps.client.call("calls.get", { callId });
        this.#screen.print(`${callCard(call, { folded: false, paint: this.#deps.paint })}\n`);
      }
    }
  }

  toggleWrap(): void {
    this.#screen.wrap = !this.#screen.wrap;
    this.say(WORDS.wrap(this.#screen.wrap));
  }

  async togglePanes(): Promise<void> {
    if (this.#screen.paned) return this.#screen.leavePanes();
    this.#screen.enterPanes();
    if (this.#deps.client.ready) await this.#fillPanes();
  }

  async #fillPanes(): Promise<void> {
    const { client } = this.#deps;
    const runId = this.#lastSettled()?.runId;
    const [{ sessions }, { activity }] = await Promise.all([
      client.call("sessions.list", { limit: SESSIONS_LISTED }),
      runId === undefined ? { activity: [] } : client.call("runs.activity", { runId }),
    ]);
    this.#panes = {
      sessions: sessions.map(({ sessionKey, title }) => ({
        key: sessionKey,
        title: showLine(title === "" ? sessionKey : title),
      })),
      right: evidenceLines(activity),
    };
    this.#screen.refresh();
  }

  clearScreen(): void {
    this.#screen.clear();
  }

  exit(): void {
    this.#left.resolve();
  }

  /** What was written and never handed over, with what is in the box last. */
  get unsent(): string {
    const waiting = this.#outbox.entries.filter(({ tried }) => tried !== true).map(({ text }) => text);
    return [...waiting, this.#screen.message].filter((text) => text.trim() !== "").join("\n\n");
  }

  // ── keys and messages ──────────────────────────────────────────────────────────────

  #key(does: (action: ActionName) => boolean, empty: boolean): boolean {
    if (does("clear")) {
      const now = this.#deps.now();
      if (now < this.#leaveAt) this.exit();
      this.#leaveAt = now + LEAVE_MS;
      if (!empty) this.#screen.setText("");
      this.#notice = WORDS.again;
      this.#screen.refresh();
      return true;
    }
    if (does("leave") && empty) {
      this.exit();
      return true;
    }
    if (does("stop")) return this.#escape(empty);
    const action = KEYED.find(([name]) => does(name));
    if (!action) return false;
    void this.#guarded(() => action[1](this));
    return true;
  }

  /** Stops what runs; else takes back what was to go along; else, twice, changes an earlier message. */
  #escape(empty: boolean): boolean {
    if (this.#ownCommand) {
      this.#ownCommand.abort();
      return true;
    }
    if (this.#open.unfinished) {
      this.stop();
      return true;
    }
    if (!empty) return false;
    if (this.#files.length > 0) {
      this.#files = [];
      this.say(WORDS.detached);
      return true;
    }
    if (this.#editing) {
      this.#editing = undefined;
      this.say(WORDS.notEdited);
      return true;
    }
    const now = this.#deps.now();
    if (now < this.#editAt) {
      this.#editAt = 0;
      this.editEarlier();
    } else this.#editAt = now + LEAVE_MS;
    return true;
  }

  async writeInEditor(): Promise<void> {
    const text = this.#screen.text;
    const written = await this.#screen.suspended(() => this.#deps.edit("message.md", text));
    this.#screen.setText(written.replace(/\n$/, ""));
  }

  async pastePicture(): Promise<void> {
    const bytes = await this.#deps.clipboardPicture?.();
    if (bytes === undefined) return this.say(WORDS.noClipboard);
    if (bytes === null) return this.say(WORDS.noClipboardPicture);
    this.#pasted += 1;
    if (this.#addFile(pictureAttachment(bytes, `pasted-${this.#pasted}`)))
      this.say(WORDS.attached(this.#files.map(({ name }) => name).join(", ")));
  }

  /** Long text goes along as a file, so that the message stays readable. */
  #paste(text: string): string | undefined {
    if (text.length <= PASTE_CHARS_MAX) return undefined;
    const bytes = Buffer.byteLength(text);
    if (bytes > LIMITS.blobBytesMax) {
      this.say(WORDS.tooLong(LIMITS.blobBytesMax));
      return "";
    }
    this.#pasted += 1;
    const name = `pasted-${this.#pasted}.txt`;
    if (!this.#addFile(textAttachment(text, name))) return "";
    return WORDS.pasted(name, text.split("\n").length);
  }

  #submitted(text: string): void {
    const words = text.trim();
    if (words === "" && this.#files.length === 0) return;
    this.#screen.remember(text);
    const command = readCommand(words);
    if (command) {
      void this.#guarded(async () => command.run(this, command.argument));
      return;
    }
    const prompt = readPromptLine(words);
    if (prompt) {
      void this.#guarded(() => this.#takePrompt(prompt));
      return;
    }
    if (/^![^\s!]/.test(words)) {
      this.#runOwn(words.slice(1));
      return;
    }
    if (text.length > LIMITS.messageCharsMax) {
      this.say(WORDS.tooLong(LIMITS.messageCharsMax));
      this.#screen.setText(text);
      return;
    }
    void this.#send(text);
  }

  /** Files that it names go along; where one cannot, the message stays in the box. */
  async #send(text: string): Promise<void> {
    const files = this.#files;
    this.#files = [];
    const { sessionKey } = this.#open;
    try {
      const named = await mentionedFiles(text, this.#deps.io.cwd);
      const read = await Promise.all(named.map((path) => readAttachment(path, this.#deps.io.cwd)));
      const all = [...files, ...read];
      if (all.length > FILES_MAX) return this.#keepUnsent(text, files, WORDS.tooManyFiles(FILES_MAX));
      for (const { name, mime, bytes } of all)
        if (!/^image\/|pdf$/.test(mime) && bytes.length > LIMITS.modelFileCharsMax)
          this.say(WORDS.longFile(name, LIMITS.modelFileCharsMax));
      const stored: StoredFile[] = [];
      for (const file of all) stored.push(await this.#deps.store(file));
      if (this.#editing) return await this.#sendVersion(this.#editing, text, stored);
      const taken = this.#outbox.add(sessionKey, { text, files: stored });
      if (typeof taken === "string") return this.#keepUnsent(text, files, taken);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      return this.#keepUnsent(text, files, WORDS.failure(error.failure.reason, error.failure.message));
    }
    this.#outbox.resume(sessionKey);
    if (this.#deps.client.ready) void this.#flush();
  }

  /** In the place of an earlier message; the files that went along with it go along again. */
  async #sendVersion(turn: Turn, message: string, files: readonly StoredFile[]): Promise<void> {
    const { sessionKey } = this.#open;
    const parts = [...blobsOf(turn), ...files].map(({ blobId, name }) => ({
      kind: "blob" as const,
      blobId,
      name,
      origin: "attached" as const,
    }));
    const isLast = this.#open.turns.value.at(-1) === turn;
    await this.#deps.client.call("chat.edit", { runId: turn.runId ?? "", sessionKey, message, parts });
    this.#editing = undefined;
    if (!isLast) this.say(WORDS.followed);
    await this.#sync();
  }

  #keepUnsent(text: string, files: Attachment[], why: string): void {
    this.#files = [...files, ...this.#files].slice(0, FILES_MAX);
    this.say(why);
    if (this.#screen.text === "") this.#screen.setText(text);
  }

  /** A conversation is made with the settings that were chosen before it was there. */
  async #flush(): Promise<void> {
    const { client } = this.#deps;
    const call = async <M extends MethodName>(method: M, params: MethodParams<M>) => {
      const answer = await client.call(method, params);
      if (method !== "sessions.create" || Object.keys(this.#unsaved).length === 0) return answer;
      const made = answer as { readonly sessionKey: string };
      const { pins: _pins, ...settings } = this.#unsaved;
      const { session } = await client.call("sessions.configure", {
        sessionKey: made.sessionKey,
        ...settings,
      });
      this.#unsaved = {};
      this.#open.session.set(session);
      return answer;
    };
    await this.#outbox.flush({ call });
  }

  /** A text that a server prepares goes with the next message: as its words, and not as the owner's. */
  async #takePrompt({
    server,
    prompt,
    words,
  }: NonNullable<ReturnType<typeof readPromptLine>>): Promise<void> {
    const { prompts } = await this.#deps.client.call("mcp.prompts", { name: server });
    const offered = prompts.find(({ name }) => name === prompt);
    if (!offered)
      return this.say(
        WORDS.noPrompt(
          server,
          prompt,
          prompts.map(({ name }) => showLine(name)),
        ),
      );
    await this.#fillPrompt(offered, promptArguments(words, offered));
  }

  /** What it must be given and was not is asked for, one after the other. */
  async #fillPrompt(prompt: OfferedPrompt, given: Readonly<Record<string, string>>): Promise<void> {
    const missing = prompt.arguments.find(({ name, required }) => required && given[name] === undefined);
    if (missing) {
      const about =
        missing.description === undefined ? missing.name : `${missing.name}: ${missing.description}`;
      this.#screen.ask({
        title: WORDS.promptNeeds(showLine(about)),
        submit: (text) =>
          void this.#guarded(() => this.#fillPrompt(prompt, { ...given, [missing.name]: text })),
        cancel: () => this.say(WORDS.promptLeft),
      });
      return;
    }
    const { part } = await this.#deps.client.call("mcp.prompt", {
      name: prompt.server,
      prompt: prompt.name,
      arguments: given,
    });
    const name = `${prompt.server}-${prompt.name.replaceAll(/[^\p{L}\p{N}._-]/gu, "-")}.txt`;
    if (!this.#addFile(textAttachment(part.text, name))) return;
    this.say(WORDS.promptAttached(showLine(prompt.name), prompt.server));
  }

  /** A command of the owner's own; asked about once. */
  #runOwn(command: string): void {
    if (this.#mayRunCommands) {
      void this.#guarded(() => this.#runCommand(command));
      return;
    }
    this.#screen.choose({
      title: WORDS.ownCommand(showLine(command)),
      choices: [
        { label: WORDS.ownCommandNo, pick: () => undefined },
        {
          label: WORDS.ownCommandYes,
          tone: "bad",
          pick: () => {
            this.#mayRunCommands = true;
            void this.#guarded(() => this.#runCommand(command));
          },
        },
      ],
      cancel: () => undefined,
    });
  }

  async #runCommand(command: string): Promise<void> {
    const { io } = this.#deps;
    this.#print(`! ${command}`);
    this.#ownCommand?.abort();
    const stop = new AbortController();
    this.#ownCommand = stop;
    this.#screen.refresh();
    const end = await runOwnCommand(command, {
      cwd: io.cwd,
      env: io.env,
      signal: stop.signal,
      write: (text) => this.#screen.print(visibleText(text)),
    });
    if (this.#ownCommand === stop) this.#ownCommand = undefined;
    this.#commandOutput = end.output;
    const how =
      end.signal === undefined ? WORDS.ownCommandCode(end.code) : WORDS.ownCommandSignal(end.signal);
    this.say(end.output === "" ? WORDS.ownCommandQuiet(how) : WORDS.ownCommandEnded(how));
  }

  async #argumentsOf(command: string, begun: string): Promise<{ value: string; label: string }[]> {
    const item = (value: string) => ({ value, label: value });
    const fits = (value: string) => value.toLowerCase().includes(begun.toLowerCase());
    try {
      if (command === "model") return ["usual", ...(await this.#modelNames())].filter(fits).map(item);
      if (command === "profile") return ["usual", ...(await this.#profileIds())].filter(fits).map(item);
      if (command === "tools") return ["on", "off"].filter(fits).map(item);
      if (command === "mode") return POLICY_MODES.filter(fits).map(item);
      if (command === "pin") return ["list", "off"].filter(fits).map(item);
      if (command === "snippets") return (await this.#deps.prompts.list()).filter(fits).map(item);
      if (command === "system")
        return ["none", ...(await this.#deps.prompts.list()).map((name) => `@${name}`)]
          .filter(fits)
          .map(item);
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      // Nothing can be offered now; the command itself says why.
    }
    return [];
  }

  async #modelNames(): Promise<string[]> {
    const { providers } = await this.#deps.client.call("models.list", {});
    return providers.flatMap(({ models }) => models.map(({ model }) => model));
  }

  async #profileIds(): Promise<string[]> {
    return (await this.#deps.client.call("auth.list", {})).profiles.map(({ id }) => id);
  }

  async #pickModel(): Promise<void> {
    const names = await this.#modelNames();
    if (names.length === 0) return this.say(WORDS.noModels);
    const choices = ["usual", ...names].map((name): Choice => ({
      label: name,
      ...(name === "usual" ? { note: this.#usual } : {}),
      pick: () => void this.#guarded(() => this.model(name)),
    }));
    this.#screen.choose({ title: WORDS.pickModel, choices, search: true, cancel: () => undefined });
  }

  /** What the gateway refuses is said, and nothing else breaks by it. */
  async #guarded(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      this.say(WORDS.failed(WORDS.failure(error.failure.reason, error.failure.message)));
    }
  }

  // ── the conversation ───────────────────────────────────────────────────────────────

  #conversation(sessionKey: string): Conversation {
    const conversation = new Conversation(sessionKey, {
      announce: () => undefined,
      changed: () => {
        if (this.#open !== conversation) return;
        this.#showUnsent();
        if (this.#deps.client.ready) void this.#flush();
      },
      stopped: () => this.#outbox.pause(conversation.sessionKey),
      now: () => this.#deps.client.now(),
    });
    conversation.turns.subscribe(() => this.#open === conversation && this.#printTurns());
    return conversation;
  }

  #leave(): void {
    this.#open.leave();
    this.#editing = undefined;
    this.#printed.clear();
    this.#thoughts.clear();
    this.#calls.clear();
    this.#pictures.length = 0;
    this.#unsaved = {};
    this.#screen.endLine();
  }

  #accepted(entry: Entry, runId: string): void {
    if (entry.sessionKey !== this.#open.sessionKey) return;
    this.#open.accepted(entry, runId);
    this.#printTurns();
  }

  #showUnsent(): void {
    this.#open.showUnsent(this.#outbox.ofSession(this.#open.sessionKey));
    this.#screen.refresh();
  }

  async #ready(): Promise<void> {
    if (this.#lost) this.say(WORDS.back);
    this.#lost = false;
    await this.#guarded(async () => {
      if (this.#usual === "") await this.#greet();
      else this.#tellVersion();
      await this.#flush();
      await this.#sync();
      if (this.#screen.paned) await this.#fillPanes();
      const first = this.#first;
      this.#first = "";
      // An empty message would send what is attached for the next one.
      if (first !== "") this.#submitted(first);
    });
  }

  async #sync(): Promise<void> {
    const conversation = this.#open;
    const first = !conversation.loaded;
    await conversation.sync(this.#deps.client);
    if (conversation !== this.#open) return;
    if (conversation.problem.value !== undefined) this.say(conversation.problem.value);
    if (first && !isOwnName(conversation.sessionKey)) this.#printEarlier(conversation);
    this.#printTurns();
    this.#asked();
    await this.#flush();
  }

  /** The end of a conversation that is taken up again. */
  #printEarlier(conversation: Conversation): void {
    const turns = conversation.turns.value;
    const settled = turns.filter(({ state }) => state === "settled");
    const title = conversation.session.value?.title ?? "";
    this.say(WORDS.resumed(showLine(title)));
    if (settled.length > SHOWN_AGAIN) this.say(WORDS.earlier(settled.length - SHOWN_AGAIN));
    for (const turn of settled) {
      this.#printed.set(turn, undefined);
      if (settled.indexOf(turn) >= settled.length - SHOWN_AGAIN) this.#printSettled(turn);
    }
  }

  #printTurns(): void {
    for (const turn of this.#open.turns.value) {
      if (!this.#printed.has(turn)) this.#begin(turn);
      this.#finish(turn);
    }
  }

  #begin(turn: Turn): void {
    if (turn.state === "settled") {
      this.#printed.set(turn, undefined);
      this.#printSettled(turn);
      return;
    }
    this.#printOwner(turn);
    this.#since = this.#deps.now();
    this.#notice = "";
    const { model } = this.#settings;
    this.#printed.set(
      turn,
      new Answer(this.#io, {
        stream: this.#start.stream ?? true,
        json: false,
        demoTold: true,
        ...(typeof model === "string" ? { model } : {}),
      }),
    );
  }

  #finish(turn: Turn): void {
    const answer = this.#printed.get(turn);
    if (!answer || turn.state !== "settled") return;
    this.#printed.set(turn, undefined);
    if (turn.ended) {
      this.#screen.endLine();
      answer.finish(this.#open.sessionKey, turn.ended);
    } else this.#printAnswer(turn);
    this.#printMedia(turn);
    this.#tellVersions(turn);
    this.#screen.print("\n");
    this.#signal(WORDS.ready);
    if (this.#screen.paned) void this.#guarded(() => this.#fillPanes());
  }

  #printOwner(turn: Turn): void {
    const { paint } = this.#deps;
    this.#screen.endLine();
    const lines = [...visibleText(promptOf(turn)).split("\n"), ...this.#filesOf(turn)];
    this.#screen.print(
      `${lines.map((line, i) => `${paint("cyan", i === 0 ? "❯" : " ")} ${paint("bold", line)}`).join("\n")}\n`,
    );
  }

  #printSettled(turn: Turn): void {
    this.#printOwner(turn);
    this.#printAnswer(turn);
    this.#printMedia(turn);
    this.#tellVersions(turn);
    this.#screen.print("\n");
  }

  /** Which of several versions this is, and whether one that is not shown changed something. */
  #tellVersions({ versions, runId }: Turn): void {
    if (versions === undefined || versions.of.length < 2) return;
    const at = versions.of.indexOf(runId ?? "") + 1;
    this.say(`‹${at}/${versions.of.length}› ${WORDS.otherVersions}`);
    if (versions.effects.length > 0) this.say(WORDS.versionEffects);
  }

  /** Files that came with a message, a line each. */
  #filesOf({ draft, asked }: Turn): string[] {
    const files = draft
      ? draft.files.map(({ name, mime, blobId }) => ({ name, mime, blobId }))
      : asked.flatMap(({ blocks }) =>
          blocks.flatMap((block) =>
            block.type === "image" || block.type === "file"
              ? [{ name: block.name ?? block.mime, mime: block.mime, blobId: block.blobId }]
              : [],
          ),
        );
    return files.map((file) => this.#placeholder(file));
  }

  #placeholder({ name, mime, blobId }: { name: string; mime: string; blobId: string }): string {
    if (!mime.startsWith("image/")) return WORDS.file(showLine(name));
    this.#pictures.push({ blobId });
    return WORDS.picture(
      this.#pictures.length,
      showLine(name),
      keyInWords(this.#keys.openPicture[0] ?? "/open"),
    );
  }

  #printMedia(turn: Turn): void {
    for (const part of turn.parts)
      if (part.kind === "media")
        this.say(this.#placeholder({ ...part.block, name: part.block.name ?? part.block.mime }));
  }

  #printAnswer(turn: Turn): void {
    const markdown = new TerminalMarkdown((piece) => this.#screen.print(piece), {
      columns: this.#screen.columns,
      paint: this.#deps.paint,
    });
    markdown.write(visibleText(answerOf(turn)));
    markdown.end();
    this.#screen.endLine();
    if (turn.evidence !== undefined && turn.evidence !== "") this.say(turn.evidence);
  }

  #pushed(push: Push): void {
    const { event, data } = push;
    const turn = "runId" in data ? this.#open.turnOf(data.runId) : undefined;
    const answer = turn && this.#printed.get(turn);
    if (answer && event !== "chat.delta") answer.flush();
    if (event !== "session.changed") this.#open.push(push);
    if (turn && answer) this.#printThoughts(turn);
    if (turn && answer && turn.state === "live") {
      // What goes on is drawn below; what was done is printed in its place.
      if (event !== "tool.progress") answer.take(push, turn);
      if (event === "tool.started" && data.parent === undefined) this.#lookAt(data.callId);
      if (event === "tool.finished" && data.parent === undefined && !data.refused) this.#printCall(data);
    }
    if (turn) this.#finish(turn);
    if (event === "attention.changed" && (data.worst === "error" || this.#storage !== undefined))
      void this.#guarded(async () => {
        const { storage } = await this.#deps.client.call("gateway.status", {});
        this.#tellStorage(storage?.text);
      });
    if (event === "call.undone") void this.#open.tellUndone(this.#deps.client, data.runId);
    if (event === "session.changed" && data.sessionKey === this.#open.sessionKey) {
      const own = data.acceptedRun !== undefined && this.#isOwn(data.acceptedRun);
      if (!own) void this.#sync();
    }
    this.#screen.refresh();
  }

  #isOwn(runId: string): boolean {
    return this.#open.turnOf(runId) !== undefined || this.#outbox.ofSession(this.#open.sessionKey).length > 0;
  }

  /** Pushes do not say what a call is about: that is fetched while it runs. */
  #lookAt(callId: string): void {
    if (!this.#calls.has(callId)) this.#calls.set(callId, this.#fetchCall(callId));
  }

  async #fetchCall(callId: string): Promise<void> {
    try {
      const { call } = await this.#deps.client.call("calls.get", { callId });
      if (call.target !== undefined) this.#targets.set(callId, call.target);
      this.#screen.refresh();
    } catch (error) {
      // The card says it once the call is over.
      if (!(error instanceof FailureError)) throw error;
    }
  }

  #printCall({
    callId,
    tool,
    status,
    exitCode,
  }: {
    callId: string;
    tool: string;
    status: string;
    exitCode?: number | undefined;
  }): void {
    const { client, paint } = this.#deps;
    this.#calls.delete(callId);
    // What the owner denied is said where they did.
    const asked = this.#approvals.all.value.some((approval) => approval.callId === callId);
    if (asked && (status === "denied" || status === "expired")) return;
    this.#screen.endLine();
    const card = async () => {
      const { call } = await client.call("calls.get", { callId });
      return `${callCard(call, { folded: this.#folded, paint })}\n`;
    };
    const code = exitCode === undefined ? "" : ` · ${WORDS.exitCode(exitCode)}`;
    const ok = status === "succeeded";
    const words = `${ok ? WORDS.done(tool) : `${WORDS.todo(tool)}: ${WORDS.state(status)}`}${code}`;
    this.#screen.printLater(
      card(),
      `${paint(ok ? "green" : "red", ok ? "✓" : "✗")} ${paint("dim", words)}\n`,
    );
  }

  /** A thought is one line once it is over, and its words where they are wanted. */
  #printThoughts(turn: Turn): void {
    const seen = this.#thoughts.get(turn) ?? { printed: 0, since: undefined };
    const over = turn.parts.flatMap((part) => (part.kind === "thinking" ? [part.text] : []));
    if (turn.thinking !== "") seen.since ??= this.#deps.now();
    for (const text of over.slice(seen.printed)) {
      this.#screen.endLine();
      const time = durationText(this.#deps.now() - (seen.since ?? this.#deps.now()));
      this.say(WORDS.thought(time));
      if (!this.#folded) this.#print(quoted(text));
      seen.since = undefined;
    }
    seen.printed = Math.max(seen.printed, over.length);
    this.#thoughts.set(turn, seen);
  }

  /** What waits in this conversation is asked about here; the rest is counted below. */
  #asked(): void {
    this.#chooser.follow(this.#open.sessionKey);
    for (const { runId, approvalId } of this.#approvals.pending)
      this.#open.turnOf(runId)?.seeApprovals([approvalId]);
    this.#screen.refresh();
  }

  #connection(state: string): void {
    if (state === "lost" && !this.#lost) {
      this.#lost = true;
      this.#open.pause();
      this.say(WORDS.lost);
    }
    if (state === "closed" || state === "refused") {
      const { over } = this.#deps.client;
      this.say(
        WORDS.failed(over instanceof RequestError ? WORDS.failure(over.reason, over.message) : WORDS.lost),
      );
      this.exit();
    }
  }

  async #greet(): Promise<void> {
    const { model, demo, policyMode = "", storage } = await this.#deps.client.call("gateway.status", {});
    this.#tellStorage(storage?.text);
    if (this.#usual !== "") return;
    this.#usual = demo ? WORDS.demoName : model;
    this.#mode = policyMode;
    this.say(WORDS.welcome(this.#model));
    if (demo && typeof this.#settings.model !== "string") this.say(WORDS.demo);
    this.#tellVersion();
    await this.#offerLast();
  }

  /** Said when it begins and when it is over, and marked below in between. */
  #tellStorage(text: string | undefined): void {
    if (text === this.#storage) return;
    this.#storage = text;
    this.say(text === undefined ? WORDS.canWrite : WORDS.gateway(text));
    this.#screen.refresh();
  }

  #tellVersion(): void {
    const hello = this.#deps.client.hello.value;
    if (!hello || this.#version === `${hello.protocol} ${hello.version}`) return;
    this.#version = `${hello.protocol} ${hello.version}`;
    if (hello.protocol !== PROTOCOL_VERSION) this.say(WORDS.otherProtocol(hello.protocol, PROTOCOL_VERSION));
    else if (hello.version !== VERSION) this.say(WORDS.otherVersion(showLine(hello.version), VERSION));
  }

  async #offerLast(): Promise<void> {
    if (!isOwnName(this.#open.sessionKey) || this.#first !== "") return;
    const { sessions } = await this.#deps.client.call("sessions.list", { limit: 1 });
    const [last] = sessions;
    if (!last || last.messageCount === 0) return;
    // Whoever has begun meanwhile is not interrupted.
    if (!isOwnName(this.#open.sessionKey) || this.#open.turns.value.length > 0) return;
    const ago = durationText(Math.max(0, this.#deps.client.now() - last.updatedAt));
    this.say(WORDS.lastSession(showLine(last.title), ago));
  }

  // ── the last lines ─────────────────────────────────────────────────────────────────

  #live(): readonly string[] {
    const { paint } = this.#deps;
    const lines: string[] = [];
    const turn = this.#open.unfinished;
    const spinner = SPINNER[Math.floor(this.#deps.now() / TICK_MS) % SPINNER.length];
    const stopKey = this.#keys.stop[0] ?? "/stop";
    if (turn) {
      const running = turn.parts
        .flatMap((part) => (part.kind === "calls" ? part.calls : []))
        .filter(({ status, parent }) => status === "running" && parent === undefined);
      lines.push(
        ...running.flatMap((call) =>
          runningCall(call, this.#targets.get(call.callId)).map((line) => paint("dim", line)),
        ),
      );
      const waits = this.#approvals.holding.some(({ runId }) => runId === turn.runId);
      const status = running.length > 0 ? WORDS.working : WORDS.goesOn(turn.status.replace(/…$/, ""));
      const what = waits ? WORDS.waitsHere : status;
      const thought = turn.thinking === "" ? "" : ` · ${showLine(lastLine(turn.thinking))}`;
      const time = durationText(this.#deps.now() - this.#since);
      const hint = this.#screen.choosing ? WORDS.chooseHint : WORDS.stopHint(keyInWords(stopKey));
      lines.push(paint("dim", `${spinner} ${what} · ${time} · ${hint}${thought}`));
      if (turn.trying !== "") lines.push(paint("yellow", showLine(turn.trying)));
    }
    if (this.#ownCommand)
      lines.push(paint("dim", `${spinner} ${WORDS.ownCommandRuns} · ${WORDS.stopHint(keyInWords(stopKey))}`));
    if (this.#files.length > 0)
      lines.push(paint("dim", WORDS.attachedNow(this.#files.map(({ name }) => name).join(", "))));
    const queued = this.#open.queued.value;
    if (queued.length > 0)
      lines.push(paint("dim", WORDS.queued(queued.length, showLine(queued[0]?.text ?? ""))));
    if (this.#notice !== "") lines.push(paint("yellow", this.#notice));
    return lines;
  }

  #footer(width: number): string {
    const elsewhere = this.#approvals.pending.filter(
      ({ sessionKey }) => sessionKey !== this.#open.sessionKey,
    ).length;
    const title = this.#open.session.value?.title ?? "";
    const { temperature, topP, tools, system } = this.#settings;
    const left = [
      this.#model,
      this.#mode,
      ...(typeof temperature === "number" ? [WORDS.status.temperature(temperature)] : []),
      ...(typeof topP === "number" ? [WORDS.status.topP(topP)] : []),
      ...(tools === false ? [WORDS.status.noTools] : []),
      ...(typeof system === "string" ? [WORDS.status.ownSystem] : []),
      ...(this.#lost ? [WORDS.status.notConnected] : []),
      ...(this.#storage === undefined ? [] : [WORDS.status.readOnly]),
      cutToWidth(showLine(title), TITLE_SHOWN),
    ]
      .filter((word) => word !== "")
      .join(" · ");
    const right = elsewhere > 0 ? WORDS.waitsElsewhere(elsewhere) : this.#facts();
    const room = width - displayWidth(right) - 1;
    if (room < 8) return this.#deps.paint("dim", cutToWidth(right === "" ? left : right, width));
    const cut = cutToWidth(left, room);
    return this.#deps.paint(
      "dim",
      `${cut}${" ".repeat(Math.max(1, width - displayWidth(cut) - displayWidth(right)))}${right}`,
    );
  }

  #facts(): string {
    const turns = this.#open.turns.value;
    const tokens = turns.reduce((sum, { facts }) => sum + facts.tokens, 0);
    const cost = turns.reduce((sum, { facts }) => sum + (facts.costUsd ?? 0), 0);
    return tokens === 0 ? "" : `${WORDS.tokens(tokens)}${cost > 0 ? ` · $${cost.toFixed(4)}` : ""}`;
  }

  #tick(): void {
    if (this.#notice === WORDS.again && this.#deps.now() >= this.#leaveAt) this.#notice = "";
    else if (!this.#open.unfinished && !this.#ownCommand) {
      if (this.#notice === WORDS.stopped) this.#notice = "";
      else return;
    }
    this.#screen.refresh();
  }

  #lastSettled(): Turn | undefined {
    return this.#open.turns.value.findLast(({ state }) => state === "settled");
  }

  #print(text: string): void {
    this.#screen.endLine();
    this.#screen.print(`${visibleText(text)}\n`);
  }

  /** A bell, and a notification where the terminal shows such. */
  #signal(words: string): void {
    this.#screen.signal(notification(this.#deps.io.env, words));
  }

  /** What others write as to a terminal goes into the transcript. */
  #stream(): Io["stdout"] {
    const stream = new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.#screen.print(String(chunk));
        done();
      },
    });
    return Object.defineProperties(Object.assign(stream, { isTTY: true as const }), {
      columns: { get: () => this.#screen.columns },
    });
  }
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The first that fits counts, as the file of keys says. */
const KEYED: readonly (readonly [ActionName, (chat: ChatApp) => unknown])[] = [
  ["help", (chat) => chat.help()],
  ["settings", (chat) => chat.settings()],
  ["tools", (chat) => chat.tools("")],
  ["evidence", (chat) => chat.report("evidence", "")],
  ["panes", (chat) => chat.togglePanes()],
  ["save", (chat) => chat.save("")],
  ["sessions", (chat) => chat.sessions("")],
  ["clearScreen", (chat) => chat.clearScreen()],
  ["fold", (chat) => chat.toggleFold()],
  ["model", (chat) => chat.model("")],
  ["editor", (chat) => chat.writeInEditor()],
  ["history", (chat) => chat.history()],
  ["mode", (chat) => chat.mode("")],
  ["copyCode", (chat) => chat.copyCode()],
  ["openPicture", (chat) => chat.openPicture()],
  ["pastePicture", (chat) => chat.pastePicture()],
];

/** What its writer sent. */
function promptOf({ draft, asked }: Turn): string {
  return draft?.text ?? asked.map(textOf).join("\n");
}

/** The files that came with a message. */
function blobsOf({ asked }: Turn): { readonly blobId: string; readonly name: string }[] {
  return asked.flatMap(({ blocks }) =>
    blocks.flatMap((block) =>
      block.type === "image" || block.type === "file"
        ? [{ blobId: block.blobId, name: block.name ?? block.mime }]
        : [],
    ),
  );
}

function quoted(text: string): string {
  return visibleText(text)
    .trim()
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
