import type { AppContext } from "../../app/context.ts";
import { SHOWN } from "./turn-window.ts";
import { RequestError, type Push } from "@elwood/sdk/client";
import { read, write } from "../../gateway/tab-storage.ts";
import { Store } from "@elwood/sdk/store";
import { gatewayNow } from "../../parts/format.ts";
import { Conversation } from "@elwood/sdk/view-state/conversation";
import { DraftArchive } from "./draft-archive.ts";
import { ModelChoice } from "./model-choice.ts";
import { Drafts } from "./drafts.ts";
import { Edits } from "./edits.ts";
import { Outbox, type Draft, type Entry } from "@elwood/sdk/view-state/outbox";
import { isOwnName, newOwnName } from "@elwood/sdk/view-state/own-name";
import { SessionIndex } from "./session-index.ts";
import { Uploads } from "./uploads.ts";
import { say } from "../../words/en/chat.ts";
import { failureText } from "../../words/gateway.ts";

const LOOK_EVERY_MS = 10_000;
/** Of a long session the messages of these come first: as many turns as are drawn when it opens. */
const NEWEST_RUNS = SHOWN;

/**
 * The chat state of a tab, whichever page is shown: the open conversation, the outbox, drafts and the
 * list of sessions. Elements only render it.
 */
export class ChatState {
  readonly app: AppContext;
  readonly #archive = new DraftArchive();
  readonly drafts = new Drafts(this.#archive, () =>
    this.app.toasts.show(say.thisBrowserHasNoRoomLeft, { tone: "bad" }),
  );
  readonly edits = new Edits();
  readonly sessions: SessionIndex;
  readonly outbox: Outbox;
  readonly open: Store<Conversation>;
  /** Rises when a turn began or ended. */
  readonly changed = new Store(0);
  /** Told above the box until the next message. */
  readonly problem = new Store<string | undefined>(undefined);
  readonly models: ModelChoice;
  readonly uploads: Uploads;
  /** The name of the conversation that does not exist yet. */
  #own: string | undefined;

  constructor(app: AppContext) {
    this.app = app;
    this.sessions = new SessionIndex(app.link);
    this.models = new ModelChoice(app);
    this.uploads = new Uploads(app.token, this.drafts);
    this.outbox = new Outbox(
      {
        mayGo: (entry) => this.#mayGo(entry),
        created: (own, sessionKey) => this.#created(own, sessionKey),
        accepted: (entry, runId) => this.#accepted(entry, runId),
        refused: (entry, message) => this.#refused(entry, message),
        changed: () => {
          this.#showUnsent();
          this.#touch();
        },
      },
      { read: () => read("outbox"), write: (entries) => void write("outbox", entries) },
    );
    // The one that was open: what waits there does not go before it is known whether an answer is still written.
    this.open = new Store(this.#conversation(read("open") ?? read("new") ?? newOwnName()));
    // What waits is there to be seen before the gateway is.
    this.#showUnsent();
    app.link.onReady(() => void this.#ready());
    app.link.state.subscribe((state) => {
      if (state === "lost") this.open.value.pause();
    });
    app.link.onPush((push) => this.#pushed(push));
    app.link.onGap((runId) => {
      if (this.open.value.turnOf(runId)) void this.#sync();
    });
    const timer = window.setInterval(() => {
      if (!document.hidden && app.link.ready) void this.open.value.resumeSilent(app.link);
    }, LOOK_EVERY_MS);
    app.ended.addEventListener("abort", () => {
      clearInterval(timer);
      if (read("token") === undefined) void this.#archive.forget();
    });
  }

  /** Shows a session, without leaving it where it is shown already. */
  show(sessionKey: string): void {
    if (this.open.value.sessionKey === sessionKey) return;
    this.open.value.leave();
    this.problem.set(undefined);
    const conversation = this.#conversation(sessionKey);
    this.open.set(conversation);
    this.#showUnsent();
    if (this.app.link.ready) void this.#sync();
  }

  /** The conversation that does not exist yet: the same one until its first message is sent. */
  showNew(): void {
    this.#own ??= read("new") ?? newOwnName();
    write("new", this.#own);
    this.show(this.#own);
    const { prepared } = this.app;
    if (prepared !== "") this.drafts.giveBack(this.#own, { text: prepared, files: [] });
    this.app.prepared = "";
  }

  /** Hands a message over; the answer is why it was not taken, if it was not. */
  send(draft: Draft): string | undefined {
    const { sessionKey } = this.open.value;
    const refusal = this.models.refusal(sessionKey);
    if (refusal !== undefined) return refusal;
    const entry = this.outbox.add(sessionKey, draft, this.models.of(sessionKey));
    if (typeof entry === "string") return entry;
    this.problem.set(undefined);
    if (this.app.link.ready) void this.outbox.flush(this.app.link);
    else this.open.value.pause();
    return undefined;
  }

  /** Fetches what is shown anew, after something was put in the place of it. */
  async refresh(): Promise<void> {
    await this.#sync();
  }

  stop(): void {
    const turn = this.open.value.unfinished;
    if (turn?.runId === undefined) return;
    turn.stopAsked = true;
    this.outbox.pause(this.open.value.sessionKey);
    this.#touch();
    // Where the connection is gone, the stop is said again when the run is resumed.
    void this.#abort(turn.runId);
  }

  /** Sends what a stop left in the row. */
  resume(): void {
    this.outbox.resume(this.open.value.sessionKey);
    if (this.app.link.ready) void this.outbox.flush(this.app.link);
  }

  async #abort(runId: string): Promise<void> {
    try {
      await this.app.link.call("chat.abort", { runId });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!error.lost) this.problem.set(failureText(error.failure));
    }
  }

  async #ready(): Promise<void> {
    // Messages first: what they begin is then part of the session that is fetched.
    await this.outbox.flush(this.app.link);
    await this.#sync();
  }

  async #sync(): Promise<void> {
    const { value } = this.open;
    await value.sync(this.app.link);
    // What was decided before this tab looked stands where it was asked, as it does for who looked on.
    if (value === this.open.value && !isOwnName(value.sessionKey))
      await this.app.waiting.recall(value.sessionKey);
    await this.outbox.flush(this.app.link);
  }

  #pushed(push: Push): void {
    const { event, data } = push;
    if (event !== "session.changed") this.open.value.push(push);
    if (event === "call.undone") void this.open.value.tellUndone(this.app.link, data.runId);
    // Somebody else began this, in the conversation that is shown.
    if (event === "exec.approval_request" || event === "owner.question") {
      const { sessionKey } = this.open.value;
      if (data.sessionKey === sessionKey && !this.open.value.turnOf(data.runId)) void this.#sync();
    }
    if (event !== "session.changed" || data.sessionKey !== this.open.value.sessionKey) return;
    if (data.acceptedRun !== undefined && this.#isOwn(data.acceptedRun)) return;
    if (data.what === "forgotten") this.#showAnew();
    else if (data.what === "deleted") void this.#deleted(data.sessionKey);
    else {
      if (data.what === "restored") this.problem.set(undefined);
      void this.#sync();
    }
  }

  /** Where it was done in this tab, another session is open once the gateway has said something else. */
  async #deleted(sessionKey: string): Promise<void> {
    await this.app.look();
    if (this.open.value.sessionKey === sessionKey) this.problem.set(say.thisSessionWasDeletedMessagesTo);
  }

  /** What is shown may hold what was forgotten. */
  #showAnew(): void {
    const { sessionKey } = this.open.value;
    this.open.value.leave();
    this.open.set(this.#conversation(sessionKey));
    this.#showUnsent();
    void this.#sync();
  }

  /** A message of this tab's own: it is shown already, or about to be confirmed. */
  #isOwn(runId: string): boolean {
    const { value } = this.open;
    return value.turnOf(runId) !== undefined || this.outbox.ofSession(value.sessionKey).length > 0;
  }

  #conversation(sessionKey: string): Conversation {
    const listener = {
      announce: (text: string) => this.app.announce(text),
      changed: () => {
        if (this.open.value !== conversation) return;
        this.#showUnsent();
        this.#touch();
        // An answer ended: the next message may go.
        if (this.app.link.ready) void this.outbox.flush(this.app.link);
      },
      stopped: () => this.outbox.pause(conversation.sessionKey),
      now: gatewayNow,
    };
    const conversation: Conversation = new Conversation(sessionKey, listener, { newest: NEWEST_RUNS });
    return conversation;
  }

  #mayGo(entry: Entry): boolean {
    const { value } = this.open;
    return entry.sessionKey !== value.sessionKey || (value.loaded && !value.unfinished);
  }

  #showUnsent(): void {
    const { value } = this.open;
    value.showUnsent(this.outbox.ofSession(value.sessionKey));
    if (!this.app.link.ready) value.pause();
  }

  #created(own: string, sessionKey: string): void {
    this.drafts.rename(own, sessionKey);
    this.uploads.rename(own, sessionKey);
    this.models.hand(own, sessionKey);
    this.models.choose(own, undefined);
    if (this.#own === own) this.#own = undefined;
    if (read("new") === own) write("new", undefined);
    if (this.open.value.sessionKey !== own) return;
    this.open.value.sessionKey = sessionKey;
    this.#touch();
    void this.sessions.refresh();
  }

  #accepted(entry: Entry, runId: string): void {
    const { value } = this.open;
    if (entry.sessionKey === value.sessionKey) value.accepted(entry, runId);
    // The message as the gateway has it, and the title that it gave the session.
    if (entry.sessionKey === value.sessionKey) void this.#sync();
  }

  #refused(entry: Entry, why: string): void {
    this.drafts.giveBack(entry.sessionKey, entry);
    const isOpen = entry.sessionKey === this.open.value.sessionKey;
    this.problem.set(`Not sent: ${why}${isOpen ? "" : say.theTextWaitsInTheBox}`);
  }

  #touch(): void {
    this.changed.update((n) => n + 1);
  }
}
