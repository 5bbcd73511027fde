import { Writable } from "node:stream";
import type { KeyId } from "@earendil-works/pi-tui";
import { showLine } from "@elwood/core/base/show";
import { LIMITS } from "@elwood/core/base/limits";
import { FailureError } from "@elwood/core/base/failure";
import { textOf } from "@elwood/core/message/message";
import { deedOf } from "@elwood/core/tool/tool-words";
import { RequestError, type GatewayClient, type Push } from "@elwood/sdk/client";
import { Conversation } from "@elwood/sdk/view-state/conversation";
import { Outbox, type Entry } from "@elwood/sdk/view-state/outbox";
import { isOwnName, newOwnName } from "@elwood/sdk/view-state/own-name";
import { PendingApprovals } from "@elwood/sdk/view-state/pending-approvals";
import { answerOf, type Turn } from "@elwood/sdk/view-state/turn";
import { Answer } from "../answer.ts";
import { durationText } from "../duration.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import { TerminalMarkdown } from "../terminal-markdown.ts";
import { cutToWidth, displayWidth, visibleText } from "../terminal-text.ts";
import { ApprovalChooser } from "./approval-chooser.ts";
import { CHAT_COMMANDS, completions, readCommand, type ChatActions } from "./commands.ts";
import { Screen, type Choice } from "./screen.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

/** Of a conversation that is taken up again, so many of the last answers are printed. */
const SHOWN_AGAIN = 3;
/** So often the line about what goes on is drawn. */
const TICK_MS = 250;
const LEAVE_MS = 2_000;
const LOOK_EVERY_MS = 10_000;
const SESSIONS_LISTED = 100;

export interface ChatDeps {
  readonly client: GatewayClient;
  readonly io: Io;
  readonly paint: Paint;
  readonly screen: (events: ConstructorParameters<typeof Screen>[1]) => Screen;
  readonly now: () => number;
  /** Opens a text in the owner's editor; undefined where they left it as it was. */
  readonly edit: (name: string, text: string) => Promise<string>;
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
  /** What an answer writes to. */
  readonly #io: Io;
  readonly #left = Promise.withResolvers<void>();
  #open: Conversation;
  /** Turns that are printed already, or being printed. */
  readonly #printed = new Map<Turn, Answer | undefined>();
  /** What is sent as soon as the gateway is there. */
  #first: string;
  #model: string | undefined;
  #usual = "";
  #mode = "";
  #notice = "";
  #leaveAt = 0;
  #since = 0;
  #lost = false;

  constructor(deps: ChatDeps, sessionKey: string | undefined, model: string | undefined, first = "") {
    this.#deps = deps;
    const { client, paint } = deps;
    this.#model = model;
    this.#screen = deps.screen({
      submit: (text) => this.#submitted(text),
      key: (is, empty) => this.#key(is, empty),
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
    this.#approvals = new PendingApprovals(client, () => this.#bell());
    this.#chooser = new ApprovalChooser({
      approvals: this.#approvals,
      screen: this.#screen,
      io: this.#io,
      paint,
      say: (text) => this.say(text),
      edit: deps.edit,
    });
    this.#open = this.#conversation(sessionKey ?? newOwnName());
    this.#screen.complete(completions(deps.io.cwd));
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
    try {
      if (client.ready) void this.#ready();
      await this.#left.promise;
    } finally {
      clearInterval(tick);
      clearInterval(look);
      for (const stop of stops) stop();
      await this.#screen.stop();
    }
  }

  // ── what the owner can do (also by commands) ───────────────────────────────────────

  say(text: string): void {
    this.#screen.endLine();
    this.#screen.print(`${this.#deps.paint("dim", visibleText(text))}\n`);
  }

  help(): void {
    const lines = CHAT_COMMANDS.map(({ name, argument = "", description }) => {
      const usage = `/${name}${argument === "" ? "" : ` ${argument}`}`;
      return `  ${usage.padEnd(24)} ${description}`;
    });
    this.#print([...lines, "", ...KEYS.map(([key, what]) => `  ${key.padEnd(24)} ${what}`)].join("\n"));
  }

  newSession(): void {
    this.#leave();
    this.#open = this.#conversation(newOwnName());
    this.say(WORDS.newSession);
  }

  async sessions(): Promise<void> {
    const { sessions } = await this.#deps.client.call("sessions.list", { limit: SESSIONS_LISTED });
    if (sessions.length === 0) return this.say(WORDS.noSessions);
    const choices = sessions.map(({ sessionKey, title }): Choice => ({
      label: showLine(title === "" ? sessionKey : title),
      pick: () => void this.#guarded(() => this.load(sessionKey)),
    }));
    this.#screen.choose({ title: WORDS.pickSession, choices, search: true, cancel: () => undefined });
  }

  async load(sessionKey: string): Promise<void> {
    this.#leave();
    this.#open = this.#conversation(sessionKey);
    await this.#sync();
  }

  async model(name: string): Promise<void> {
    if (name === "") return this.#pickModel();
    if (name === "usual") {
      this.#model = undefined;
      return this.say(WORDS.modelUsual);
    }
    await this.#deps.client.call("models.check", { model: name });
    this.#model = name;
    this.say(WORDS.modelIs(name));
  }

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

  async evidence(): Promise<void> {
    const turn = this.#lastSettled();
    if (turn?.runId === undefined) return this.say(WORDS.noAnswer);
    const { activity } = await this.#deps.client.call("runs.activity", { runId: turn.runId });
    if (activity.length === 0) return this.say(WORDS.noCalls);
    this.#print(
      activity
        .map(({ toolId, status, target, summary }) => {
          const about = target === undefined ? "" : ` · ${showLine(target)}`;
          return `  ${status === "succeeded" ? "✓" : "✗"} ${deedOf(toolId).done}${about}${summary === "" ? "" : ` · ${showLine(summary)}`}`;
        })
        .join("\n"),
    );
  }

  async usage(): Promise<void> {
    const { runs } = await this.#deps.client.call("runs.list", {
      sessionKey: this.#open.sessionKey,
      limit: LIMITS.pageSizeMax,
    });
    const tokens = runs.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
    const cost = runs.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
    this.#print(`  ${runs.length} answers · ${tokens} tokens · $${cost.toFixed(4)} in this conversation`);
  }

  async memory(words: string): Promise<void> {
    const { hits } = await this.#deps.client.call("memory.search", { query: words });
    if (hits.length === 0) return this.say(WORDS.noMatch);
    this.#print(hits.map(({ text }) => `  ${showLine(text)}`).join("\n"));
  }

  async undo(): Promise<void> {
    const turn = this.#lastSettled();
    if (turn?.runId === undefined) return this.say(WORDS.nothingToUndo);
    const { activity } = await this.#deps.client.call("runs.activity", { runId: turn.runId });
    for (const { callId, status, risk } of activity.toReversed()) {
      if (status !== "succeeded" || risk === "read") continue;
      const { call } = await this.#deps.client.call("calls.get", { callId });
      if (!call.canUndo) continue;
      await this.#deps.client.call("calls.undo", { callId });
      return this.say(WORDS.undone);
    }
    return this.say(WORDS.nothingToUndo);
  }

  copyCode(): void {
    const turn = this.#lastSettled();
    const blocks = turn ? [...answerOf(turn).matchAll(/^ {0,3}```[^\n]*\n([^]*?)^ {0,3}```/gm)] : [];
    const code = blocks.at(-1)?.[1];
    if (code === undefined) return this.say(WORDS.noCode);
    this.#deps.io.stdout.write(`\u001b]52;c;${Buffer.from(code).toString("base64")}\u0007`);
    this.say(WORDS.copied);
  }

  toggleWrap(): void {
    this.#screen.wrap = !this.#screen.wrap;
    this.say(WORDS.wrap(this.#screen.wrap));
  }

  exit(): void {
    this.#left.resolve();
  }

  // ── keys and messages ──────────────────────────────────────────────────────────────

  #key(is: (key: KeyId) => boolean, empty: boolean): boolean {
    if (is("ctrl+c")) {
      const now = this.#deps.now();
      if (now < this.#leaveAt) this.exit();
      this.#leaveAt = now + LEAVE_MS;
      if (!empty) this.#screen.setText("");
      this.#notice = WORDS.again;
      this.#screen.refresh();
      return true;
    }
    if (is("ctrl+d") && empty) {
      this.exit();
      return true;
    }
    if (is("escape") && this.#open.unfinished) {
      this.stop();
      return true;
    }
    if (is("f1")) this.help();
    else if (is("ctrl+o")) void this.#guarded(() => this.sessions());
    else if (is("ctrl+l")) void this.#guarded(() => this.model(""));
    else if (is("f4") || is("ctrl+t")) void this.#guarded(() => this.evidence());
    else if (is("alt+c")) this.copyCode();
    else if (is("ctrl+g")) void this.#guarded(() => this.#writeInEditor());
    else return false;
    return true;
  }

  async #writeInEditor(): Promise<void> {
    const text = this.#screen.text;
    const written = await this.#screen.suspended(() => this.#deps.edit("message.md", text));
    this.#screen.setText(written.replace(/\n$/, ""));
  }

  #submitted(text: string): void {
    const words = text.trim();
    if (words === "") return;
    this.#screen.remember(text);
    const command = readCommand(words);
    if (command) {
      void this.#guarded(async () => command.run(this, command.argument));
      return;
    }
    if (text.length > LIMITS.messageCharsMax) {
      this.say(WORDS.tooLong(LIMITS.messageCharsMax));
      this.#screen.setText(text);
      return;
    }
    const taken = this.#outbox.add(this.#open.sessionKey, { text, files: [] }, this.#model);
    if (typeof taken === "string") {
      this.say(taken);
      this.#screen.setText(text);
      return;
    }
    this.#outbox.resume(this.#open.sessionKey);
    if (this.#deps.client.ready) void this.#outbox.flush(this.#deps.client);
  }

  async #pickModel(): Promise<void> {
    const { providers } = await this.#deps.client.call("models.list", {});
    const names = providers.flatMap(({ models }) => models.map(({ model }) => model));
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
      this.say(WORDS.failed(error.failure.message));
    }
  }

  // ── the conversation ───────────────────────────────────────────────────────────────

  #conversation(sessionKey: string): Conversation {
    const conversation = new Conversation(sessionKey, {
      announce: () => undefined,
      changed: () => {
        if (this.#open !== conversation) return;
        this.#showUnsent();
        if (this.#deps.client.ready) void this.#outbox.flush(this.#deps.client);
      },
      stopped: () => this.#outbox.pause(conversation.sessionKey),
      now: () => this.#deps.client.now(),
    });
    conversation.turns.subscribe(() => this.#open === conversation && this.#printTurns());
    return conversation;
  }

  #leave(): void {
    this.#open.leave();
    this.#printed.clear();
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
    const { client } = this.#deps;
    if (this.#lost) this.say(WORDS.back);
    this.#lost = false;
    await this.#guarded(async () => {
      if (this.#usual === "") await this.#greet();
      await this.#outbox.flush(client);
      await this.#sync();
      const first = this.#first;
      this.#first = "";
      this.#submitted(first);
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
    await this.#outbox.flush(this.#deps.client);
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
    const prompt = turn.draft?.text ?? turn.asked.map(textOf).join("\n");
    this.#printOwner(prompt);
    this.#since = this.#deps.now();
    this.#notice = "";
    this.#printed.set(
      turn,
      new Answer(this.#io, {
        stream: true,
        json: false,
        demoTold: true,
        ...(this.#model === undefined ? {} : { model: this.#model }),
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
    this.#screen.print("\n");
    this.#bell();
  }

  #printOwner(text: string): void {
    const { paint } = this.#deps;
    this.#screen.endLine();
    const lines = visibleText(text).split("\n");
    this.#screen.print(
      `${lines.map((line, i) => `${paint("cyan", i === 0 ? "❯" : " ")} ${paint("bold", line)}`).join("\n")}\n`,
    );
  }

  #printSettled(turn: Turn): void {
    this.#printOwner(turn.asked.map(textOf).join("\n"));
    this.#printAnswer(turn);
    this.#screen.print("\n");
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
    if (turn && answer && turn.state === "live") {
      answer.take(push, turn);
      if (event === "tool.finished" && data.parent === undefined)
        this.#printCall(data.tool, data.status, data.exitCode);
    }
    if (turn) this.#finish(turn);
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

  #printCall(tool: string, status: string, exitCode: number | undefined): void {
    const { paint } = this.#deps;
    this.#screen.endLine();
    const ok = status === "succeeded";
    const code = exitCode === undefined ? "" : ` · exit code ${exitCode}`;
    const words = ok ? deedOf(tool).done : `${deedOf(tool).todo}: ${status}`;
    this.#screen.print(`${paint(ok ? "green" : "red", ok ? "✓" : "✗")} ${paint("dim", `${words}${code}`)}\n`);
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
      this.say(WORDS.failed(over instanceof RequestError ? over.message : WORDS.lost));
      this.exit();
    }
  }

  async #greet(): Promise<void> {
    const { model, demo, policyMode = "" } = await this.#deps.client.call("gateway.status", {});
    if (this.#usual !== "") return;
    this.#usual = demo ? WORDS.demoName : model;
    this.#mode = policyMode;
    this.say(WORDS.welcome(this.#model ?? this.#usual));
    if (demo && this.#model === undefined) this.say(WORDS.demo);
  }

  // ── the last lines ─────────────────────────────────────────────────────────────────

  #live(): readonly string[] {
    const { paint } = this.#deps;
    const lines: string[] = [];
    const turn = this.#open.unfinished;
    if (turn) {
      const running = turn.parts
        .flatMap((part) => (part.kind === "calls" ? part.calls : []))
        .filter(({ status, parent }) => status === "running" && parent === undefined)
        .map(
          ({ tool, message }) =>
            `${deedOf(tool).doing}${message === undefined ? "" : `: ${showLine(message)}`}`,
        );
      const waits = this.#approvals.holding.some(({ runId }) => runId === turn.runId);
      const what = waits
        ? WORDS.waitsHere
        : running.length > 0
          ? running.join(" · ")
          : turn.status.replace(/…$/, "");
      const time = durationText(this.#deps.now() - this.#since);
      lines.push(
        paint(
          "dim",
          `${SPINNER[Math.floor(this.#deps.now() / TICK_MS) % SPINNER.length]} ${what} · ${time} · ${this.#screen.choosing ? WORDS.chooseHint : WORDS.stopHint}`,
        ),
      );
    }
    const queued = this.#open.queued.value;
    if (queued.length > 0) lines.push(paint("dim", WORDS.queued(queued.length)));
    if (this.#notice !== "") lines.push(paint("yellow", this.#notice));
    return lines;
  }

  #footer(width: number): string {
    const elsewhere = this.#approvals.pending.filter(
      ({ sessionKey }) => sessionKey !== this.#open.sessionKey,
    ).length;
    const title = this.#open.session.value?.title ?? "";
    const left = [this.#model ?? this.#usual, this.#mode, showLine(title)]
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
    return tokens === 0 ? "" : `${tokens} tokens${cost > 0 ? ` · $${cost.toFixed(4)}` : ""}`;
  }

  #tick(): void {
    if (this.#notice === WORDS.again && this.#deps.now() >= this.#leaveAt) this.#notice = "";
    else if (!this.#open.unfinished) {
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

  #bell(): void {
    this.#deps.io.stdout.write("\u0007");
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

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ["Enter · Shift+Enter", "send · new line (also Alt+Enter, Ctrl+J)"],
  ["Esc", "stop the answer"],
  ["Ctrl+C · Ctrl+D", "clear, twice to leave · leave"],
  ["Ctrl+O · Ctrl+L", "conversations · models"],
  ["F4 or Ctrl+T", "the calls of the last answer"],
  ["Ctrl+G", "write in your editor"],
  ["Alt+C", "copy the last block of code"],
];
