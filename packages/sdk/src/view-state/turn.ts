import type { ReplySegment } from "@elwood/core/message/message";
import type { EventData } from "@elwood/core/protocol/events";
import type { Snapshot, WireMessage, WireRun } from "@elwood/core/protocol/shapes";
import type { Push } from "../client.ts";
import { markedReply, withoutMarks, withoutSigns } from "./mark-sign.ts";
import { Store } from "../store.ts";
import type { Draft } from "./outbox.ts";
import {
  hasCall,
  hasThinking,
  isAsked,
  isLineNotIn,
  keptReply,
  ownParts,
  OF_MODEL,
  readsLike,
  tokensOf,
  withActivity,
  withCall,
  withoutBeginning,
  withMemory,
  withoutPreamble,
  withoutTargets,
  withThinking,
  type KeptReply,
  type ReplyPart,
  type ShownCall,
  type Tone,
} from "./reply-parts.ts";

type Final = EventData<"chat.final">;
type Failed = EventData<"chat.error">;

/** What the gateway sent last of a run. */
export type RunEnding = { readonly final: Final } | { readonly error: Failed };

/** What a run was answered by, and what it took. */
export interface RunFacts {
  readonly model?: string;
  readonly tokens: number;
  readonly costUsd?: number;
}

/** A turn that is one of several, of which it is the one that is shown. */
export interface TurnVersions {
  /** The runs of all of them, the oldest first. */
  readonly of: readonly string[];
  /** Runs that are not shown, whose calls changed something. */
  readonly effects: readonly string[];
}

/**
 * One message of the owner's and everything that came of it.
 *
 * T1 `seq` never falls: a push that the snapshot already held does not count twice.
 * T2 Once settled, a turn is what the gateway keeps of it: where it was followed and reads
 *    otherwise, it is brought in step once; where it reads the same, nothing is touched.
 */
export class Turn {
  /** Stays the same from the first keystroke to the end, so that nothing on the page is built anew. */
  readonly key: string;
  /** Rises with every change. */
  readonly changed = new Store(0);
  /** Known once the gateway took the message. */
  runId: string | undefined;
  state: "waiting" | "live" | "settled" = "settled";
  /** The owner pressed Stop; said again after a reconnect, for this run only. */
  stopAsked = false;
  /** Somebody stopped it while this page looked on. */
  stopped = false;
  /** Something came for it since this was last looked at. */
  stirred = false;
  asked: readonly WireMessage[] = [];
  draft: Draft | undefined;
  parts: readonly ReplyPart[] = [];
  /** What is being written right now, after everything in `parts`. */
  text = "";
  /** All that the model wrote since it last began anew, also where that led up to a call. */
  written = "";
  /** How the run ended, while this was followed. */
  ended: RunEnding | undefined;
  /** The gateway's last word about the run, below everything that was written. */
  ending: readonly ReplyPart[] = [];
  thinking = "";
  status = "";
  /** What is being tried again, and how often it was; gone as soon as something comes. */
  trying = "";
  evidence: string | undefined;
  facts: RunFacts = { tokens: 0 };
  endedAt: number | undefined;
  cutShort = false;
  versions: TurnVersions | undefined;
  #seq = 0;
  /** Its parts are from the transcript. */
  #isKept = false;
  #hasRun = false;
  /** What the try before had written: it stays until the next one writes. */
  #isStale = false;
  readonly #cards = new Set<string>();
  readonly #now: () => number;

  constructor(key: string, now: () => number) {
    this.key = key;
    this.#now = now;
  }

  /** The owner's message, before the gateway has it. */
  static ofOwner(key: string, draft: Draft, now: () => number): Turn {
    const turn = new Turn(key, now);
    turn.state = "waiting";
    turn.draft = draft;
    turn.status = "Sending…";
    return turn;
  }

  /** A turn as the gateway keeps it. */
  static ofMessages(
    runId: string,
    messages: readonly WireMessage[],
    unfinished: boolean,
    now: () => number,
  ): Turn {
    const turn = new Turn(runId, now);
    turn.#keep(messages);
    turn.runId = runId;
    if (unfinished) turn.live(runId);
    return turn;
  }

  /** Whether Elwood has an article of its own in it: something the model said or did, or is about to. */
  get hasReply(): boolean {
    return this.state === "live" || this.text !== "" || this.parts.some(({ kind }) => OF_MODEL.has(kind));
  }

  get articles(): number {
    return (this.draft ? 1 : this.asked.length) + (this.hasReply ? 1 : 0);
  }

  live(runId: string): void {
    this.runId = runId;
    this.state = "live";
    this.#isKept = false;
    this.stirred = true;
    this.status = "Thinking…";
    this.#touch();
  }

  /** The connection is gone; what stands here stays. */
  pause(): void {
    if (this.state === "waiting") this.status = "Sent as soon as the connection is back.";
    if (this.state === "live") this.status = "Picked up as soon as the connection is back.";
    this.#touch();
  }

  /** The owner's message as the gateway has it, once it is known. */
  own(messages: readonly WireMessage[]): void {
    const asked = messages.filter(isAsked);
    if (asked.length === 0 || this.asked.length > 0) return;
    this.asked = asked;
    this.draft = undefined;
    this.#touch();
  }

  /** What the gateway keeps of a run that was followed to its end (T2). */
  adopt(messages: readonly WireMessage[]): void {
    if (this.state !== "settled" || this.#isKept || messages.every(isAsked)) return;
    if (!this.hasReply && this.ending.length === 0) {
      this.#keep(messages);
      this.#touch();
      return;
    }
    this.#isKept = true;
    const kept = keptReply(messages);
    const words: ReplyPart[] = this.text === "" ? [] : [{ kind: "text", text: this.text, isPreamble: false }];
    // What is said about the disk is said here only.
    const extra = this.ending.filter((part) => isLineNotIn(kept.parts, part));
    if (readsLike([...this.parts, ...words, ...this.ending], [...kept.parts, ...extra])) return;
    this.parts = kept.parts;
    this.text = "";
    this.ending = extra;
    this.#touch();
  }

  /** An effect of it was taken back, wherever that was: its calls and evidence are told as they stand now. */
  tellUndone(messages: readonly WireMessage[]): void {
    if (this.state !== "settled" || messages.every(isAsked)) return;
    const kept = keptReply(messages);
    this.ending = this.ending.filter((part) => isLineNotIn(kept.parts, part));
    this.#isKept = true;
    this.parts = kept.parts;
    this.text = "";
    this.evidence = kept.evidence;
    this.#touch();
  }

  /** Which others there are of it; undefined where it is the only one. */
  showVersions(versions: TurnVersions | undefined): void {
    if (JSON.stringify(versions) === JSON.stringify(this.versions)) return;
    this.versions = versions;
    this.#touch();
  }

  /** Whether it is still to be told what its run took. */
  get lacksRun(): boolean {
    return this.state === "settled" && this.runId !== undefined && !this.#hasRun;
  }

  /** What its run took in all; undefined where nobody knows the run any more. */
  showRun(run: WireRun | undefined): void {
    this.#hasRun = true;
    if (!run) return;
    const facts = factsOf(run);
    if (JSON.stringify(facts) === JSON.stringify(this.facts)) return;
    this.facts = facts;
    this.#touch();
  }

  /** False where the push is not news (T1). */
  push(push: Push): boolean {
    if (this.state !== "live" || !isOfRun(push) || push.data.seq <= this.#seq) return false;
    const { event, data } = push;
    this.#seq = data.seq;
    this.stirred = true;
    switch (event) {
      case "run.queued":
        this.status = "Queued…";
        break;
      case "run.started":
        this.status = "Thinking…";
        if (data.attempt > 1)
          this.trying = "Elwood was stopped in the middle of this answer and took it up again.";
        break;
      case "chat.thinking":
        this.trying = "";
        this.thinking += data.text;
        this.status = "Thinking…";
        break;
      case "chat.delta":
        this.#delta(data);
        break;
      case "chat.notice":
        if (data.code.startsWith("COMPACT")) this.#line(data.message, "warn");
        else this.#tryAgain(data.message);
        break;
      case "tool.started":
        this.#call({ ...callOf(data), status: "running" });
        break;
      case "tool.progress":
        this.#call({ ...callOf(data), status: "running", message: data.message });
        break;
      case "tool.finished":
        this.#call({
          ...callOf(data),
          status: data.refused ? "refused" : data.status,
          exitCode: data.exitCode,
        });
        break;
      case "chat.final":
        this.#final(data);
        break;
      case "chat.error":
        this.#failed(data);
        break;
      default:
        event satisfies never;
    }
    this.#touch();
    return true;
  }

  /** Where the run stands, as the gateway sees it now; `messages` are those of this turn. */
  catchUp(snapshot: Snapshot, messages: readonly WireMessage[]): void {
    if (this.state !== "live") return;
    const before = this.#reading();
    this.own(messages);
    this.#seq = Math.max(this.#seq, snapshot.seq);
    this.stirred = true;
    this.written = snapshot.text;
    this.#thinkOf(snapshot.thinking);
    if (snapshot.final) this.#final(snapshot.final);
    else if (snapshot.error) this.#failed(snapshot.error);
    else if (["done", "failed", "aborted"].includes(snapshot.status)) this.#keep(messages);
    else this.#standAt(snapshot, messages);
    if (this.#reading() !== before) this.#touch();
  }

  /** All that is drawn of it, to tell whether it has changed. */
  #reading(): string {
    const { state, parts, text, ending, thinking, status, trying, evidence, asked, draft } = this;
    return JSON.stringify([state, parts, text, ending, thinking, status, trying, evidence, asked, draft]);
  }

  /** What was said before a card leads up to it. */
  seeApprovals(approvalIds: readonly string[]): void {
    const fresh = approvalIds.filter((id) => !this.#cards.has(id));
    for (const id of fresh) this.#cards.add(id);
    if (fresh.length === 0 || this.state !== "live") return;
    this.#setTextAside();
    this.status = "Waiting for you…";
    this.#touch();
  }

  /** For a turn that made calls before lines about them were kept with it. */
  showEvidence(evidence: string): void {
    this.evidence ??= evidence;
    this.#touch();
  }

  /** What was thought while this page did not listen; what it heard of that before is the beginning of it. */
  #thinkOf(thinking: string | undefined): void {
    if (thinking === undefined) return;
    this.thinking = hasThinking(this.parts, thinking) ? "" : thinking;
    if (this.thinking !== "") this.parts = withoutBeginning(this.parts, thinking);
  }

  #standAt(snapshot: Snapshot, messages: readonly WireMessage[]): void {
    const kept = withoutTargets(keptReply(messages).parts);
    const mine = this.parts.filter((part) => isLineNotIn(kept, part));
    this.parts = [...kept, ...mine];
    this.#thinkOf(snapshot.thinking);
    const written = kept.some((part) => part.kind === "text" && part.text.trim() === snapshot.text.trim());
    // While it is tried again there is nothing new: what was read stays.
    this.#isStale = this.trying !== "" && snapshot.text === "" && !written;
    if (!this.#isStale) this.text = written ? "" : withoutSigns(snapshot.text);
    if (this.text !== "") this.#setThinkingAside();
    for (const call of snapshot.calls)
      this.#call({ ...call, status: call.refused ? "refused" : call.status });
    const waits = snapshot.status === "waiting" ? "Waiting for you…" : "Thinking…";
    this.status = this.text === "" || snapshot.status === "waiting" ? waits : "Writing…";
  }

  /** The run has ended, and this is what is kept of it. */
  #keep(messages: readonly WireMessage[]): void {
    const asked = messages.filter(isAsked);
    if (asked.length > 0) {
      this.asked = asked;
      this.draft = undefined;
    }
    const kept = keptReply(messages);
    // Its messages may have been fetched just before its reply was among them.
    this.#isKept = !messages.every(isAsked);
    this.parts = kept.parts;
    this.trying = "";
    this.ending = [];
    this.text = "";
    this.evidence = kept.evidence;
    this.facts = keptFacts(kept);
    this.cutShort = kept.cutShort;
    this.endedAt = kept.at;
    this.state = "settled";
  }

  #delta({ text, reset }: EventData<"chat.delta">): void {
    this.written = reset ? text : this.written + text;
    // Another try begins: what was read so far stays until it has something to say.
    if (reset && this.trying !== "" && text.trim() === "") {
      this.#isStale = true;
      return;
    }
    this.trying = "";
    // It goes on from what was said before a call, which so was no lead-up to it.
    if (reset && text.trim() !== "") this.parts = withoutPreamble(this.parts, text);
    const begins = reset || this.#isStale;
    this.text = begins ? withoutSigns(text) : this.text + withoutSigns(text);
    this.#isStale = false;
    if (this.text !== "") this.#setThinkingAside();
    this.status = this.text === "" ? "Thinking…" : "Writing…";
  }

  /** One line for all tries: the next one says how many there were. */
  #tryAgain(message: string): void {
    this.trying = message;
    this.status = "Trying again…";
  }

  #call(call: ShownCall): void {
    this.trying = "";
    this.status = "Working…";
    if (!hasCall(this.parts, call.callId)) this.#setTextAside();
    this.parts = withCall(this.parts, call);
  }

  /** What was said before a call leads up to it, and is not the answer. */
  #setTextAside(): void {
    this.#setThinkingAside();
    if (this.state !== "live" || this.text.trim() === "") return;
    this.parts = [...this.parts, { kind: "text", text: this.text, isPreamble: true }];
    this.text = "";
  }

  #setThinkingAside(): void {
    this.parts = withThinking(this.parts, this.thinking);
    this.thinking = "";
  }

  #line(text: string, tone: Tone, where: "parts" | "ending" = "parts"): void {
    this.parts = this.parts.filter((part) => part.kind !== "line" || part.text !== text); // said once
    this[where] = [...this[where], { kind: "line", text, tone }];
  }

  /** The answer with the gateway's marks, and below it the gateway's own sentences. */
  #said(text: string, segments: readonly ReplySegment[]): void {
    this.#setThinkingAside();
    this.parts = this.parts.filter((part) => part.kind !== "text" || part.text.trim() !== text.trim());
    this.text = segments.length > 0 ? markedReply(segments) : withoutSigns(text);
    this.ending = ownParts(segments);
  }

  #final(final: Final): void {
    this.ended = { final };
    this.stopped = final.aborted === true;
    this.#said(final.text, final.segments);
    if (final.aborted)
      this.#line("You stopped this run. What had been written by then is kept.", "info", "ending");
    if (final.note !== undefined) this.#line(final.note, "warn", "ending");
    this.facts = factsOf(final);
    this.#settle(final, final.aborted === true);
  }

  #failed(error: Failed): void {
    this.ended = { error };
    this.#said(error.text, error.segments ?? []);
    this.#line(error.message, "bad", "ending");
    this.#settle(error, true);
  }

  #settle(
    { evidence, activity, recalled = [] }: Pick<Failed, "evidence" | "activity" | "recalled">,
    cutShort: boolean,
  ): void {
    this.parts = withActivity(this.parts, activity);
    this.trying = "";
    this.state = "settled";
    this.status = "";
    this.evidence = withMemory(evidence, recalled.length > 0);
    this.cutShort = cutShort;
    this.endedAt = this.#now();
  }

  #touch(): void {
    this.changed.update((n) => n + 1);
  }
}

/** The answer's own words, without what led to it and without the gateway's marks. */
export function answerOf({ parts, text }: Pick<Turn, "parts" | "text">): string {
  const said = parts.map((part) => (part.kind === "text" && !part.isPreamble ? part.text : ""));
  const marked = [...said, text].filter((each) => each !== "").join("\n\n");
  return withoutMarks(marked);
}

type RunPush = Extract<Push, { data: { seq: number } }>;

/** Pushes of a run are numbered. */
function isOfRun(push: Push): push is RunPush {
  return "seq" in push.data;
}

function callOf({ callId, tool, parent }: EventData<"tool.started">): Omit<ShownCall, "status"> {
  return { callId, tool, ...(parent === undefined ? {} : { parent }) };
}

/** For a turn whose run is not known here, such as one that was copied into a branch. */
function keptFacts({ model, tokens }: KeptReply): RunFacts {
  return { ...(model === undefined ? {} : { model }), tokens };
}

/** What a run took in all, tries that failed included. */
function factsOf({ model, usage, costUsd }: Pick<WireRun, "model" | "usage" | "costUsd">): RunFacts {
  return {
    ...(model === undefined ? {} : { model }),
    tokens: tokensOf(usage),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}
