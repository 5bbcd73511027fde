import { setTimeout as delay } from "node:timers/promises";
import { areAlike, groupTitle, isJoinable, type Askable } from "@elwood/core/card/alike";
import { cardOf, type Card } from "@elwood/core/card/card";
import { cardAsLine } from "@elwood/core/card/card-text";
import { questionWords } from "@elwood/core/card/question-words";
import { confirmWord } from "@elwood/core/card/confirm-word";
import { FailureError } from "@elwood/core/base/failure";
import type { EventData } from "@elwood/core/protocol/events";
import {
  decidedSchema,
  previewSchema,
  shown,
  type Decided,
  type WireApproval,
} from "@elwood/core/protocol/approval-shapes";
import { isPush, type GatewayClient, type Push } from "@elwood/sdk/client";
import {
  cardText,
  groupLines,
  groupNames,
  groupWhyLines,
  inCommon,
  longerLines,
  outcomeText,
} from "./approval-text.ts";
import { canAsk, readKey, readLine, type Line } from "./confirm.ts";
import { editText } from "./editor.ts";
import { ownName, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { serialQueue } from "@elwood/runtime/async/serial-queue";
import { failureText, gatewayText, say } from "./words/say.ts";

/** What a run waits for, and how to decide it from elsewhere. */
export interface Waiting {
  readonly id: string;
  readonly what: string;
  readonly how: string;
}

/**
 * What waits for the owner while a one-shot command runs. Somebody at the terminal is
 * asked right there; where nobody is, it says how to decide from elsewhere, and waits.
 * Questions come one after another, and one that was decided elsewhere is taken back.
 */
export class OwnerPrompt {
  readonly #io: Io;
  readonly #client: GatewayClient;
  readonly #interrupt: () => void;
  readonly #onChange: (waiting: readonly Waiting[]) => void;
  /** What is undecided, oldest first. */
  readonly #open = new Map<string, Open>();
  /** What is decided here; the gateway tells of these, too. */
  readonly #ours = new Set<string>();
  readonly #questions = serialQueue();
  /** What is or was asked about together, by its kind, until all of it is decided. */
  readonly #batches = new Map<string, Batch>();
  /** Something more came while somebody was asked. */
  #more = new AbortController();
  /** A moment after the last call that asked. */
  #quiet: Promise<void> = Promise.resolve();

  constructor(
    io: Io,
    client: GatewayClient,
    on: {
      /** Somebody pressed Ctrl-C at a question. */
      interrupt(): void;
      /** Something more waits, or less. */
      change(waiting: readonly Waiting[]): void;
    },
  ) {
    this.#io = io;
    this.#client = client;
    this.#interrupt = () => on.interrupt();
    this.#onChange = (waiting) => on.change(waiting);
  }

  /** True where the push was a question, or its end. */
  take(push: Push, runId: string | undefined): boolean {
    if (isPush(push, "exec.approval_request")) {
      if (push.data.runId === runId) this.#askApproval(push.data);
      return true;
    }
    if (isPush(push, "owner.question")) {
      if (push.data.runId === runId) this.#askQuestion(push.data);
      return true;
    }
    if (!isPush(push, "exec.approval_resolved")) return false;
    const { approvalId, decided: status, by, editedInput } = push.data;
    if (this.#ours.has(approvalId)) this.#close(approvalId);
    else {
      const decided = decidedSchema.safeParse({ status, by });
      this.#close(
        approvalId,
        decided.success
          ? this.#elsewhere(approvalId, decided.data, editedInput)
          : say(this.#io, "Decided elsewhere."),
      );
    }
    return true;
  }

  /** Something that was asked before this gateway was joined, and still waits. */
  takeWaiting(approval: WireApproval): void {
    if (approval.kind === "approval") return this.#askApproval(approval);
    const {
      approvalId: questionId,
      summary: question,
      kind,
      runId,
      sessionKey,
      expiresAt,
      options,
    } = approval;
    return this.#askQuestion({
      questionId,
      question,
      kind,
      runId,
      sessionKey,
      expiresAt,
      ...(options === undefined ? {} : { options }),
    });
  }

  #askApproval(data: ApprovalAsked): void {
    this.#next(this.#waitingApproval(data), (gone) => this.#approval(data, gone), data);
  }

  #askQuestion(data: QuestionAsked): void {
    this.#next(this.#waitingQuestion(data), (gone) => this.#question(data, gone));
  }

  /** Nobody needs an answer any more. */
  stop(): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  #next(waiting: Waiting, ask: (withdrawn: AbortSignal) => Promise<void>, asked?: ApprovalAsked): void {
    const { id } = waiting;
    // A gateway that was joined again repeats what waits.
    if (this.#open.has(id)) return;
    const withdrawn = new AbortController();
    this.#open.set(id, { waiting, withdrawn, asked });
    this.#changed();
    if (asked) {
      this.#batchOf(asked).seen.push(asked);
      if (canAsk(this.#io)) this.#quiet = delay(SETTLE_MS);
      // Whoever is being asked about one like it is told how many there are now.
      if (this.#alike(asked).length > 1) this.#more.abort();
    }
    this.#questions
      .run(async () => (withdrawn.signal.aborted ? undefined : ask(withdrawn.signal)))
      .catch((error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
        this.#say(failureText(this.#io, error.failure));
      });
  }

  /** The question is over. `why` is said where somebody still had it before them. */
  #close(id: string, why?: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    open.withdrawn.abort();
    if (open.asked && this.#alike(open.asked).length === 0) this.#batches.delete(kindOf(open.asked));
    if (why !== undefined && canAsk(this.#io)) this.#say(why);
    this.#changed();
  }

  /** What somebody decided in another place, as every place tells it. */
  #elsewhere(id: string, decided: Decided, editedInput?: unknown): string {
    const asked = this.#open.get(id)?.asked;
    if (!asked)
      return say(this.#io, decided.status === "expired" ? "Nobody answered in time." : "Answered elsewhere.");
    if (editedInput === undefined)
      return say(
        this.#io,
        "Decided elsewhere: {0}",
        gatewayText(this.#io, outcomeText({ kind: "approval", card: asked.card, decided })),
      );
    // What stands above is not what runs.
    const card = cardOfEdited(asked, editedInput);
    const outcome = gatewayText(this.#io, outcomeText({ kind: "approval", card, decided, editedInput }));
    const head = say(this.#io, "Decided elsewhere: {0}", outcome);
    return `${head}\n${say(this.#io, "This runs instead:")}\n${this.#cardText(card)}`;
  }

  #changed(): void {
    this.#onChange([...this.#open.values()].map(({ waiting }) => waiting));
  }

  #waitingApproval({ approvalId, card }: ApprovalAsked): Waiting {
    const self = ownName(this.#io.env);
    const id = approvalId.slice(-8);
    const how = say(this.#io, "{0} approvals show {1}, then {0} approvals allow {1} or deny {1}", self, id);
    return { id: approvalId, what: cardAsLine(card), how };
  }

  #waitingQuestion({ questionId, question, kind }: QuestionAsked): Waiting {
    const how = `${ownName(this.#io.env)} approvals answer ${questionId.slice(-8)} "…"`;
    return { id: questionId, what: kind === "question" ? questionWords(question) : question, how };
  }

  async #approval(asked: ApprovalAsked, withdrawn: AbortSignal): Promise<void> {
    const { approvalId, showable, card } = asked;
    // The calls of a plan follow from its program: what another program would do, nobody has seen.
    const editable = showable && !asked.plan;
    if (!canAsk(this.#io)) {
      const waits = say(this.#io, "Waiting for you: {0}", this.#waitingApproval(asked).how);
      this.#say(`\n${this.#cardText(card)}\n${waits}`);
      return;
    }
    await this.#introduce(asked);
    let edited: Edited | undefined;
    let rest: readonly string[] = [];
    for (let line = 0; line < LINES_MAX; line++) {
      if (withdrawn.aborted) return;
      const alike = this.#alike(asked);
      const { seen, whole } = this.#batchOf(asked);
      const together = alike.length > 1 && alike.every((each) => whole.has(each.approvalId));
      const keys = [
        ...(showable ? [say(this.#io, "[a]llow")] : []),
        ...(editable ? [say(this.#io, "[e]dit")] : []),
        say(this.#io, "[d]eny [n]ote"),
        ...severalKeys(this.#io, alike.length, together),
        "[?] ",
      ].join(" ");
      const place =
        seen.length > 1 ? `${say(this.#io, "{0} of {1}", seen.indexOf(asked) + 1, seen.length)}: ` : "";
      const head = edited ? `${say(this.#io, "As you edited it:")} ` : place;
      const pressed = await this.#key(`${head}${keys}`, withdrawn, rest);
      if (pressed === undefined) return;
      // More came meanwhile: the same question, with how many there are now.
      if (pressed === "again") {
        await this.#introduce(asked);
        continue;
      }
      const { key } = pressed;
      rest = pressed.rest;
      const allows = ["a", "allow", "y", "yes", "t"].includes(key);
      if (pressed.pasted || (allows && pressed.together)) {
        rest = [];
        this.#say(
          pressed.pasted
            ? say(this.#io, "Several characters came at once, as if pasted. They decide nothing.")
            : say(
                this.#io,
                "Other keys came with it, so nothing was allowed. Press {0} alone to allow it.",
                key,
              ),
        );
      } else if (showable && allows && key !== "t") {
        if (await this.#allowed(asked, edited, withdrawn)) return;
      } else if (editable && ["e", "edit"].includes(key)) {
        edited = await this.#edit(asked, edited);
      } else if (["d", "deny"].includes(key)) {
        return this.#deny(approvalId);
      } else if (["n", "note"].includes(key)) {
        // What was typed at once with the key begins the note.
        if (rest.length > 0) this.#io.stdin.unshift(rest.join(""));
        rest = [];
        const note = await this.#line(say(this.#io, "Why not? The assistant is told: "), withdrawn);
        if (note === undefined) return;
        if (note.trim() !== "") return this.#deny(approvalId, note.trim());
        this.#say(say(this.#io, "No note, so nothing was decided."));
      } else if (key === "l" && alike.length > 1) {
        this.#list(alike);
      } else if (key === "t" && together) {
        for (const each of alike) await this.#allowed(each, undefined, withdrawn);
        if (!this.#open.has(approvalId)) return;
      } else if (key === "x" && alike.length > 1) {
        for (const each of alike) await this.#deny(each.approvalId);
        return;
      } else {
        if (key === "?") {
          const now = edited === undefined ? card : cardOfEdited(asked, edited.input);
          this.#say(`\n${this.#cardText(now, true)}\n`);
          for (const line of longerLines(this.#io, now, approvalId.slice(-8))) this.#say(line);
        }
        this.#say(explained(this.#io, { showable, editable, several: alike.length, together }));
      }
    }
    this.#say(say(this.#io, "Nothing was decided here. {0}", this.#waitingApproval(asked).how));
  }

  /**
   * Shows what is asked about: alone, or once with all of its kind that wait. Calls that are made
   * side by side ask one after another, so it is shown when no more come.
   */
  async #introduce(asked: ApprovalAsked): Promise<void> {
    await this.#settled();
    const alike = this.#alike(asked);
    if (!alike.includes(asked)) return;
    const { seen, named, whole } = this.#batchOf(asked);
    const fresh = alike.filter(({ approvalId }) => !named.has(approvalId));
    if (seen.length === 1) {
      this.#say(`\n${this.#cardText(asked.card)}`);
      whole.add(asked.approvalId);
    } else if (fresh.length === 0) {
      this.#say(`\n${this.#lines([asked]).join("\n")}`);
      whole.add(asked.approvalId);
    } else if (this.#lines(fresh).length <= LISTED_LINES_MAX) {
      this.#list(alike, fresh);
    } else {
      const names = groupNames(alike.map((each) => ({ card: each.card, number: seen.indexOf(each) + 1 })));
      this.#say(`\n${groupTitle(asked.card.group, alike.length)}:\n${names.join("\n")}`);
      this.#say(`\n${this.#lines([asked]).join("\n")}`);
      whole.add(asked.approvalId);
    }
    for (const { approvalId } of alike) named.add(approvalId);
  }

  /** Shows calls of a kind whole, and what they have in common once. */
  #list(alike: readonly ApprovalAsked[], fresh = alike): void {
    const { whole } = this.#batchOf(alike[0]!);
    const cards = alike.map(({ card }) => card);
    const { note, why } = inCommon(cards);
    const title = groupTitle(cards[0]?.group, alike.length);
    const head = fresh.length < alike.length ? say(this.#io, "{0} by now", title) : title;
    this.#say(
      [
        "",
        note === undefined ? head : `${head} · ${gatewayText(this.#io, note)}`,
        ...this.#lines(fresh),
        ...groupWhyLines(this.#io, this.#io.stderr, why),
      ].join("\n"),
    );
    for (const { approvalId } of fresh) whole.add(approvalId);
  }

  /** Each whole, by its number among all of its kind, without what they have in common. */
  #lines(some: readonly ApprovalAsked[]): string[] {
    const { seen } = this.#batchOf(some[0]!);
    const once = inCommon(seen.map(({ card }) => card));
    const numbered = some.map((each) => ({ card: each.card, number: seen.indexOf(each) + 1 }));
    return groupLines(this.#io, this.#io.stderr, numbered, once);
  }

  async #settled(): Promise<void> {
    for (let more = 0; more < SETTLES_MAX; more++) {
      const quiet = this.#quiet;
      await quiet;
      if (quiet === this.#quiet) return;
    }
  }

  /** What waits and may be decided together with this one, itself among them. */
  #alike(asked: ApprovalAsked): readonly ApprovalAsked[] {
    const open = [...this.#open.values()].flatMap((each) => (each.asked ? [each.asked] : []));
    return open.filter((each) => each === asked || areAlike(askable(each), askable(asked)));
  }

  #batchOf(asked: ApprovalAsked): Batch {
    const kind = kindOf(asked);
    const batch = this.#batches.get(kind) ?? { seen: [], named: new Set(), whole: new Set() };
    this.#batches.set(kind, batch);
    return batch;
  }

  /** False where the gateway did not take it, and the owner may try something else. */
  async #allowed(asked: ApprovalAsked, edited: Edited | undefined, withdrawn: AbortSignal): Promise<boolean> {
    const { approvalId, confirm } = asked;
    const now = edited === undefined ? asked.card : cardOfEdited(asked, edited.input);
    const word = confirm ?? confirmWord(now);
    if (word !== undefined) {
      const typed = await this.#line(say(this.#io, 'Type "{0}" to allow it: ', word), withdrawn);
      if (typed === undefined) return true;
      if (typed.trim() !== word) {
        this.#say(say(this.#io, "That is another word, so nothing was decided."));
        return false;
      }
    }
    this.#ours.add(approvalId);
    try {
      const { decided } = await this.#client.call("exec.approve", {
        approvalId,
        decision: "once",
        ...(edited === undefined ? {} : { input: edited.input }),
        ...(confirm === undefined ? {} : { confirm }),
      });
      this.#decided(approvalId, decided, "approved");
      return true;
    } catch (error) {
      if (!(error instanceof FailureError) || error.failure.reason !== "INVALID_INPUT") throw error;
      this.#ours.delete(approvalId);
      this.#say(failureText(this.#io, error.failure));
      return false;
    }
  }

  async #deny(approvalId: string, reason?: string): Promise<void> {
    this.#ours.add(approvalId);
    const { decided } = await this.#client.call("exec.deny", {
      approvalId,
      ...(reason === undefined ? {} : { reason: reason.slice(0, NOTE_CHARS_MAX) }),
    });
    this.#decided(approvalId, decided, "denied");
  }

  #decided(approvalId: string, decided: Decided, wanted: Decided["status"]): void {
    if (decided.status !== wanted) this.#say(this.#elsewhere(approvalId, decided));
    this.#close(approvalId);
  }

  /** The input as the owner wants it; what stood there before where they thought better of it. */
  async #edit(asked: ApprovalAsked, before: Edited | undefined): Promise<Edited | undefined> {
    const { parse, stringify } = await import("yaml");
    const text = before?.text ?? `${say(this.#io, EDIT_HEAD)}\n${stringify(asked.details, { lineWidth: 0 })}`;
    try {
      const fresh = await editText(this.#io, {
        name: "input.yaml",
        text,
        otherwise: say(this.#io, "press n to deny it and say what you want instead"),
      });
      if (fresh === text) {
        this.#say(say(this.#io, "Nothing was changed."));
        return before;
      }
      const input: unknown = parse(fresh);
      if (JSON.stringify(input) === JSON.stringify(asked.details)) {
        this.#say(say(this.#io, "It is as it was asked for again."));
        return undefined;
      }
      this.#say(
        `\n${say(this.#io, "This will run instead:")}\n${this.#cardText(cardOfEdited(asked, input))}`,
      );
      return { text: fresh, input };
    } catch (error) {
      if (error instanceof FailureError) this.#say(failureText(this.#io, error.failure));
      else if (error instanceof Error && error.name === "YAMLParseError")
        this.#say(
          say(this.#io, "That cannot be read: {0} Nothing was changed.", error.message.split("\n")[0] ?? ""),
        );
      else throw error;
      return before;
    }
  }

  async #question(asked: QuestionAsked, withdrawn: AbortSignal): Promise<void> {
    const { questionId, question, options, kind } = asked;
    const asks = kind === "question" ? questionWords(question) : question;
    const choices = options ? `\n${options.map((option, i) => `  ${i + 1}. ${option}`).join("\n")}` : "";
    this.#say(visibleText(`\n${asks}${choices}`));
    if (!canAsk(this.#io)) {
      this.#say(say(this.#io, "Waiting for you: {0}", this.#waitingQuestion(asked).how));
      return;
    }
    for (let line = 0; line < LINES_MAX; line++) {
      const answer = await this.#line("> ", withdrawn);
      if (answer === undefined) return;
      if (answer.trim() === "") continue;
      this.#ours.add(questionId);
      await this.#client.call("owner.answer", { questionId, answer: answer.trim() });
      this.#close(questionId);
      return;
    }
  }

  /** A key; `again` where more came to be asked about meanwhile. `rest`: keys that came with the one before. */
  async #key(
    question: string,
    withdrawn: AbortSignal,
    rest: readonly string[],
  ): Promise<Pressed | "again" | undefined> {
    const [next, ...later] = rest;
    if (next !== undefined) {
      this.#say(`${question}${visibleText(next)}`);
      return { key: next.toLowerCase(), rest: later, together: true, pasted: false };
    }
    this.#more = new AbortController();
    const { signal } = this.#more;
    const key = await readKey(this.#io, question, AbortSignal.any([withdrawn, signal]));
    if (key.kind === "withdrawn" && !withdrawn.aborted) return "again";
    const text = this.#textOf(key, withdrawn);
    if (text === undefined || key.kind !== "line") return undefined;
    return {
      key: text.trim().toLowerCase(),
      rest: key.rest ?? [],
      together: key.rest !== undefined,
      pasted: key.pasted ?? false,
    };
  }

  async #line(question: string, withdrawn: AbortSignal): Promise<string | undefined> {
    return this.#textOf(await readLine(this.#io, question, withdrawn), withdrawn);
  }

  /** Undefined where no answer is to be had; why not is said or done here. */
  #textOf(line: Line, withdrawn: AbortSignal): string | undefined {
    if (line.kind === "line") return line.text;
    if (line.kind === "interrupted") {
      // The run is stopped, and what it asked goes with it.
      for (const id of this.#open.keys()) this.#ours.add(id);
      this.#interrupt();
    }
    if (line.kind === "ended") {
      const open = [...this.#open.values()].find((each) => each.withdrawn.signal === withdrawn);
      if (open) this.#say(say(this.#io, "Nothing was decided. It waits for you: {0}", open.waiting.how));
    }
    return undefined;
  }

  #cardText(card: Card, details = false): string {
    return cardText(this.#io, this.#io.stderr, card, details);
  }

  #say(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
}

interface Open {
  readonly waiting: Waiting;
  /** Takes its question back. */
  readonly withdrawn: AbortController;
  /** Of a call; a question has none. */
  readonly asked: ApprovalAsked | undefined;
}

/** Calls of one kind that wait, or waited, at the same time. */
interface Batch {
  /** In the order in which they came, which is how they are numbered. */
  readonly seen: ApprovalAsked[];
  /** Those in the list of what there is. */
  readonly named: Set<string>;
  /** Those that were shown with all that they would do. */
  readonly whole: Set<string>;
}

interface Pressed {
  readonly key: string;
  /** Keys that came at the same moment, after this one. */
  readonly rest: readonly string[];
  /** It did not come alone. */
  readonly together: boolean;
  readonly pasted: boolean;
}

interface Edited {
  /** As it was left in the editor. */
  readonly text: string;
  readonly input: unknown;
}

type ApprovalAsked = EventData<"exec.approval_request">;
type QuestionAsked = EventData<"owner.question">;

const LINES_MAX = 100;
/** So long nothing more must come before what waits is shown. */
const SETTLE_MS = 150;
/** So often more may come before what is there is shown all the same. */
const SETTLES_MAX = 20;
/** A longer list of calls begins with their names only. */
const LISTED_LINES_MAX = 120;
const NOTE_CHARS_MAX = 2_000;
const EDIT_HEAD = "# What will run. Save and close to see it once more before you allow it.";

function askable(asked: ApprovalAsked): Askable {
  return { ...asked, kind: "approval" };
}

/** What may be decided together. */
function kindOf(asked: ApprovalAsked): string {
  const { runId, approvalId, card } = asked;
  return isJoinable(askable(asked))
    ? JSON.stringify([runId, card.group?.verb, card.group?.many])
    : approvalId;
}

/** Several may be allowed with one key once all of them were shown, and denied at any time. */
function severalKeys(io: Io, count: number, shown: boolean): string[] {
  if (count < 2) return [];
  return [
    say(io, shown ? "[t]ogether: allow all {0}" : "[l]ist all {0}", count),
    say(io, "[x] deny all {0}", count),
  ];
}

/** What each of the keys does that are offered. */
function explained(
  io: Io,
  {
    showable,
    editable,
    several,
    together,
  }: {
    readonly showable: boolean;
    readonly editable: boolean;
    /** How many of its kind wait. */
    readonly several: number;
    readonly together: boolean;
  },
): string {
  return [
    ...(showable ? [say(io, "  a  allow this once")] : []),
    ...(editable ? [say(io, "  e  edit it first, in your editor")] : []),
    say(io, "  d  deny it"),
    say(io, "  n  deny it, and tell the assistant why"),
    ...(several > 1
      ? [
          together
            ? say(io, "  t  allow all {0} together", several)
            : say(io, "  l  list all of this kind, then t allows them together"),
          say(io, "  x  deny all {0}", several),
        ]
      : []),
    say(io, "  ?  show everything that is known about it"),
    say(io, "Nothing is decided until you choose one of {0}.", say(io, showable ? "a, d and n" : "d and n")),
  ].join("\n");
}

/** The card of what the owner would let run instead, their own text made safe to read as well. */
function cardOfEdited(asked: ApprovalAsked, input: unknown): Card {
  const preview = previewSchema.safeParse(asked.preview);
  return cardOf({
    ...asked,
    kind: "approval",
    preview: preview.success ? preview.data : undefined,
    editedInput: shown(input),
  });
}
