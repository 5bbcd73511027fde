import { RequestError, type GatewayClient } from "../client.ts";
import { isOwnName, randomName } from "./own-name.ts";
import { splitQuoted } from "./quoted-lines.ts";

const ENTRIES_MAX = 20;

/** A message on its way to the gateway: what is shown of it before the gateway has it. */
export interface Draft {
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly mime: string; readonly blobId: string }[];
}

/** A message that was sent, or waits for it. Until a session exists on the gateway, `sessionKey` is a name of this page's own making. */
export interface Entry extends Draft {
  /** The idempotency key: sent twice, the message still counts once. */
  readonly key: string;
  sessionKey: string;
  /** The model that is to answer it, where the owner chose one. */
  readonly model?: string;
  /** It was handed over once; whether it arrived is only known when the gateway says so. */
  tried?: true;
  /** The answer before it was stopped: it stays until its writer says that it may go. */
  paused?: true;
}

export interface OutboxListener {
  /** Whether an entry may go now, or waits for an answer that is being written. */
  mayGo(entry: Entry): boolean;
  /** The session now exists under this key. */
  created(own: string, sessionKey: string): void;
  /** The message is safe with the gateway. */
  accepted(entry: Entry, runId: string): void;
  /** It was not taken, and is not tried again. */
  refused(entry: Entry, message: string): void;
  changed(): void;
}

/** Where messages survive a reload; where there is no room, they still wait in memory. */
export interface OutboxStorage {
  read(): string | undefined;
  write(entries: string | undefined): void;
}

export type SendLink = Pick<GatewayClient, "call">;

/**
 * Messages that the gateway has not confirmed yet.
 *
 * O1 A message leaves only when the gateway said that it is durable, or refused it, or its
 *    writer took it back before it was sent. A broken connection or a reload in between
 *    sends it again, under the same key.
 * O2 Messages of one session go in the order in which they stand: as they were written, or
 *    as their writer put them since. One that is written while others are paused goes before them.
 */
export class Outbox {
  readonly #listener: OutboxListener;
  readonly #storage: OutboxStorage;
  #entries: readonly Entry[];
  #flushing = false;
  #sending: Entry | undefined;

  constructor(listener: OutboxListener, storage: OutboxStorage) {
    this.#listener = listener;
    this.#storage = storage;
    this.#entries = entriesIn(storage.read());
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  ofSession(sessionKey: string): readonly Entry[] {
    return this.#entries.filter((entry) => entry.sessionKey === sessionKey);
  }

  /** The entry, or why it was not taken. */
  add(sessionKey: string, draft: Draft, model?: string): Entry | string {
    if (this.#entries.length >= ENTRIES_MAX)
      return `${ENTRIES_MAX} messages already wait to be sent. This one stays in the box.`;
    const entry: Entry = {
      key: randomName("web-"),
      sessionKey,
      text: draft.text,
      files: draft.files,
      ...(model === undefined ? {} : { model }),
    };
    const paused = this.#entries.findIndex((each) => each.sessionKey === sessionKey && each.paused);
    this.#set(this.#entries.toSpliced(paused < 0 ? this.#entries.length : paused, 0, entry));
    return entry;
  }

  /** What waits in a session stays where it is until `resume`; what is on its way already goes on. */
  pause(sessionKey: string): void {
    const waiting = this.ofSession(sessionKey).filter((entry) => !entry.tried && entry !== this.#sending);
    for (const entry of waiting) entry.paused = true;
    if (waiting.length > 0) this.#set([...this.#entries]);
  }

  resume(sessionKey: string): void {
    for (const entry of this.ofSession(sessionKey)) delete entry.paused;
    this.#set([...this.#entries]);
  }

  /** Takes out what is paused in a session; `restore` brings it back. */
  discard(sessionKey: string): readonly Entry[] {
    const gone = this.ofSession(sessionKey).filter(({ paused }) => paused);
    this.#set(this.#entries.filter((entry) => !gone.includes(entry)));
    return gone;
  }

  restore(entries: readonly Entry[]): void {
    this.#set([...this.#entries, ...entries].slice(0, ENTRIES_MAX));
  }

  /** Takes a message back that was not sent yet; false where it is on its way already. */
  takeBack(entry: Entry): boolean {
    if (entry === this.#sending || !this.#entries.includes(entry)) return false;
    this.#remove(entry);
    return true;
  }

  /** Changes places with the next message of its session, or the one before; false where one of them is on its way. */
  move(entry: Entry, by: -1 | 1): boolean {
    const mine = this.ofSession(entry.sessionKey);
    const other = mine[mine.indexOf(entry) + by];
    if (!other || [entry, other].some((each) => each === this.#sending || each.tried)) return false;
    this.#set(this.#entries.map((each) => (each === entry ? other : each === other ? entry : each)));
    return true;
  }

  /** Sends what may go; call it when the gateway can be reached. */
  async flush(link: SendLink): Promise<void> {
    if (this.#flushing) return;
    this.#flushing = true;
    try {
      for (let entry = this.#next(); entry; entry = this.#next()) {
        this.#sending = entry;
        await this.#send(link, entry);
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      // The connection broke: everything stays, and the next one takes it up.
    } finally {
      this.#sending = undefined;
      this.#flushing = false;
    }
  }

  /** The first of each session only (O2). */
  #next(): Entry | undefined {
    const seen = new Set<string>();
    for (const entry of this.#entries) {
      const goes = entry.tried || (!entry.paused && this.#listener.mayGo(entry));
      if (!seen.has(entry.sessionKey) && goes) return entry;
      seen.add(entry.sessionKey);
    }
    return undefined;
  }

  async #send(link: SendLink, entry: Entry): Promise<void> {
    try {
      if (isOwnName(entry.sessionKey)) await this.#createSession(link, entry.sessionKey);
      entry.tried = true;
      this.#set(this.#entries);
      const { sessionKey, text, files, key: idempotencyKey, model } = entry;
      const { typed: message, quoted } = splitQuoted(text);
      const parts = [
        ...(quoted.trim() === "" ? [] : [{ kind: "text" as const, text: quoted, origin: "quoted" as const }]),
        ...files.map(({ blobId, name }) => ({
          kind: "blob" as const,
          blobId,
          name,
          origin: "attached" as const,
        })),
      ];
      const { runId } = await link.call("chat.send", {
        sessionKey,
        message,
        idempotencyKey,
        ...(parts.length === 0 ? {} : { parts }),
        ...(model === undefined ? {} : { model }),
      });
      // Told of in one breath: it is here or there, and never nowhere, which would be drawn.
      this.#keep(this.#without(entry));
      this.#listener.accepted(entry, runId);
      this.#listener.changed();
    } catch (error) {
      if (!(error instanceof RequestError) || error.lost || error.reason === "STOPPING") throw error;
      this.#remove(entry);
      this.#listener.refused(entry, error.message);
    }
  }

  async #createSession(link: SendLink, own: string): Promise<void> {
    const { sessionKey } = await link.call("sessions.create", {});
    for (const entry of this.#entries) if (entry.sessionKey === own) entry.sessionKey = sessionKey;
    this.#keep(this.#entries);
    this.#listener.created(own, sessionKey);
    this.#listener.changed();
  }

  #remove(entry: Entry): void {
    this.#set(this.#without(entry));
  }

  #without(entry: Entry): readonly Entry[] {
    return this.#entries.filter((each) => each !== entry);
  }

  #set(entries: readonly Entry[]): void {
    this.#keep(entries);
    this.#listener.changed();
  }

  #keep(entries: readonly Entry[]): void {
    this.#entries = entries;
    this.#storage.write(entries.length === 0 ? undefined : JSON.stringify(entries));
  }
}

function entriesIn(kept: string | undefined): readonly Entry[] {
  if (kept === undefined) return [];
  // Only an outbox writes there; an older one knew no files.
  const entries = JSON.parse(kept) as (Omit<Entry, "files"> & Partial<Pick<Entry, "files">>)[];
  return entries.map((entry) => ({ ...entry, files: entry.files ?? [] }));
}
