// long: one class for all that can become of a turn
import type { ReplySegment } from "@elwood/core/message";
import type { EventData } from "@elwood/core/protocol/events";
import type { Snapshot, WireMessage } from "@elwood/core/protocol/shapes";
import type { Push } from "../../gateway/link.ts";
import { nowThere } from "../../parts/format.ts";
import { markedReply, withoutSigns } from "../../parts/markdown/mark-sign.ts";
import { Store } from "../../state/store.ts";
import type { Draft } from "./outgoing.ts";
import {
  hasCall,
  hasThinking,
  isAsked,
  isLineNotIn,
  keptReply,
  ownParts,
  OF_MODEL,
  withActivity,
  withCall,
  withCards,
  withoutBeginning,
  withoutLeadUp,
  withThinking,
  type ReplyPart,
  type ShownCall,
  type Tone,
} from "./reply-parts.ts";
import { callOf, factsOf, isOfRun, keptFacts, stateOf } from "./turn-words.ts";

type Final = EventData<"chat.final">;
type Failed = EventData<"chat.error">;

/**
 * One message of the owner's and everything that came of it.
 *
 * T1 `seq` never falls: a push that the snapshot already held does not count twice.
 * T2 Once settled, a turn does not change any more, but for evidence that is fetched for it.
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
  /** The gateway's last word about the run, below everything that was written. */
  ending: readonly ReplyPart[] = [];
  thinking = "";
  status = "";
  evidence: string | undefined;
  facts: readonly string[] = [];
  endedAt: number | undefined;
  cutShort = false;
  #seq = 0;

  constructor(key: string) {
    this.key = key;
  }

  /** The owner's message, before the gateway has it. */
  static ofOwner(key: string, draft: Draft): Turn {
    const turn = new Turn(key);
    turn.state = "waiting";
    turn.draft = draft;
    turn.status = "Sending…";
    return turn;
  }

  /** A turn as the gateway keeps it. */
  static ofMessages(runId: string, messages: readonly WireMessage[], unfinished: boolean): Turn {
    const turn = new Turn(runId);
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

  push(push: Push): void {
    if (this.state !== "live" || !isOfRun(push) || push.data.seq <= this.#seq) return;
    const { event, data } = push;
    this.#seq = data.seq;
    this.stirred = true;
    switch (event) {
      case "run.queued":
        this.status = "Waits for the message before it…";
        break;
      case "run.started":
        this.status = "Thinking…";
        if (data.attempt > 1)
          this.#line("Elwood was stopped in the middle of this answer and took it up again.", "info");
        break;
      case "chat.thinking":
        this.thinking += data.text;
        this.status = "Thinking…";
        break;
      case "chat.delta":
        this.#delta(data);
        break;
      case "chat.notice":
        this.#line(data.message, "warn");
        break;
      case "tool.started":
        this.#call({ ...callOf(data), status: "running" });
        break;
      case "tool.progress":
        this.#call({ ...callOf(data), status: "running", message: data.message });
        break;
      case "tool.finished":
        this.#call({ ...callOf(data), status: stateOf(data.status), exitCode: data.exitCode });
        break;
      case "chat.final":
        this.#final(data);
        break;
      case "chat.error":
        this.#failed(data);
        break;
      default:
        return event satisfies never;
    }
    this.#touch();
  }

  /** Where the run stands, as the gateway sees it now; `messages` are those of this turn. */
  catchUp(snapshot: Snapshot, messages: readonly WireMessage[]): void {
    if (this.state !== "live") return;
    this.own(messages);
    this.#seq = Math.max(this.#seq, snapshot.seq);
    this.stirred = true;
    this.#thinkOf(snapshot.thinking);
    // What a snapshot holds under these names is the push that ended the run.
    if (snapshot.final) this.#final(snapshot.final as Final);
    else if (snapshot.error) this.#failed(snapshot.error as Failed);
    else if (["done", "failed", "aborted"].includes(snapshot.status)) this.#keep(messages);
    else this.#standAt(snapshot, messages);
    this.#touch();
  }

  /** Cards of what waits for the owner stand where they came. */
  seeApprovals(approvals: readonly { readonly approvalId: string; readonly callId?: string }[]): void {
    const known = new Set(this.#cards().map(({ approvalId }) => approvalId));
    if (approvals.every(({ approvalId }) => known.has(approvalId))) return;
    this.#setTextAside();
    // Those that stand beside their calls are placed again with the new ones, so that all stand in the order in which they were asked.
    const besideCall = (callId: string | undefined) => callId !== undefined && hasCall(this.parts, callId);
    const cards = approvals
      .filter(({ approvalId, callId }) => !known.has(approvalId) || besideCall(callId))
      .map(({ approvalId, callId }) => ({
        kind: "approval" as const,
        approvalId,
        ...(callId === undefined ? {} : { callId }),
      }));
    const placed = new Set(cards.map(({ approvalId }) => approvalId));
    const others = this.parts.filter((part) => part.kind !== "approval" || !placed.has(part.approvalId));
    this.parts = withCards(others, cards);
    if (this.state === "live") this.status = "Waiting for you…";
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
    const kept = keptReply(messages).parts;
    const lines = this.parts.filter((part) => isLineNotIn(kept, part));
    this.parts = withCards([...kept, ...lines], this.#cards());
    this.#thinkOf(snapshot.thinking);
    const written = kept.some((part) => part.kind === "text" && part.text.trim() === snapshot.text.trim());
    this.text = written ? "" : withoutSigns(snapshot.text);
    if (this.text !== "") this.#setThinkingAside();
    for (const call of snapshot.calls) this.#call({ ...call, status: stateOf(call.status) });
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
    this.parts = withCards(kept.parts, this.#cards());
    this.ending = [];
    this.text = "";
    this.evidence = kept.evidence;
    this.facts = keptFacts(kept);
    this.cutShort = kept.cutShort;
    this.endedAt = kept.at;
    this.state = "settled";
  }

  #cards(): readonly Extract<ReplyPart, { kind: "approval" }>[] {
    return this.parts.filter((part) => part.kind === "approval");
  }

  #delta({ text, reset }: EventData<"chat.delta">): void {
    // It goes on from what was said before a call, which so was no lead-up to it.
    if (reset && text.trim() !== "") this.parts = withoutLeadUp(this.parts, text);
    this.text = reset ? withoutSigns(text) : this.text + withoutSigns(text);
    if (this.text !== "") this.#setThinkingAside();
    this.status = this.text === "" ? "Thinking…" : "Writing…";
  }

  #call(call: ShownCall): void {
    this.status = "Working…";
    if (!hasCall(this.parts, call.callId)) this.#setTextAside();
    this.parts = withCall(this.parts, call);
  }

  /** What was said before a call leads up to it, and is not the answer. */
  #setTextAside(): void {
    this.#setThinkingAside();
    if (this.state !== "live" || this.text.trim() === "") return;
    this.parts = [...this.parts, { kind: "text", text: this.text, onTheWay: true }];
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
    this.stopped = final.aborted === true;
    this.#said(final.text, final.segments);
    if (final.aborted)
      this.#line("You stopped this run. What had been written by then is kept.", "info", "ending");
    if (final.note !== undefined) this.#line(final.note, "warn", "ending");
    this.facts = factsOf(final);
    this.#settle(final, final.aborted === true);
  }

  #failed(error: Failed): void {
    this.#said(error.text, error.segments ?? []);
    this.#line(error.message, "bad", "ending");
    this.#settle(error, true);
  }

  #settle({ evidence, activity }: Pick<Failed, "evidence" | "activity">, cutShort: boolean): void {
    this.parts = withActivity(this.parts, activity);
    this.state = "settled";
    this.status = "";
    this.evidence = evidence;
    this.cutShort = cutShort;
    this.endedAt = nowThere();
  }

  #touch(): void {
    this.changed.update((n) => n + 1);
  }
}
