import { confirmWord } from "@elwood/core/card/confirm-word";
import { questionWords } from "@elwood/core/card/question-words";
import { FailureError } from "@elwood/core/base/failure";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import type { AllowOptions, PendingApprovals } from "@elwood/sdk/view-state/pending-approvals";
import { cardText, detailsText, outcomeText } from "../approval-text.ts";
import type { Io } from "../io.ts";
import type { Paint } from "../paint.ts";
import { visibleText } from "../terminal-text.ts";
import type { Choice, Screen } from "./screen.ts";
import { CHAT_WORDS as WORDS } from "./words.ts";

export interface ApprovalChooserDeps {
  readonly approvals: PendingApprovals;
  readonly screen: Screen;
  readonly io: Io;
  readonly paint: Paint;
  readonly say: (text: string) => void;
  readonly edit: (name: string, text: string) => Promise<string>;
}

/**
 * Approvals and questions of a conversation, one after another: the request is printed whole, and
 * decided by arrows and Enter in a list below it.
 *
 * A1 Nothing is decided by a letter: what was meant for the box cannot allow anything.
 * A2 What is decided elsewhere closes the list and says so.
 */
export class ApprovalChooser {
  readonly #deps: ApprovalChooserDeps;
  #sessionKey = "";
  #current: WireApproval | undefined;
  /** Those that the owner put off, until they ask for them. */
  readonly #later = new Set<string>();
  /** Whatever waits, also in other conversations. */
  readonly #asked = new Set<string>();

  constructor(deps: ApprovalChooserDeps) {
    this.#deps = deps;
  }

  /** Looks at what waits now. */
  follow(sessionKey: string): void {
    this.#sessionKey = sessionKey;
    const { approvals, screen } = this.#deps;
    const current = this.#current;
    if (current) {
      const now = approvals.all.value.find(({ approvalId }) => approvalId === current.approvalId);
      if (now?.decided.status === "pending") return;
      this.#current = undefined;
      screen.closeChoices();
      const words = now ? this.#outcome(now) : "";
      if (words !== "") this.#deps.say(words);
    }
    this.#next();
  }

  /** All that waits is asked about, whichever conversation it belongs to. */
  askAll(waiting: readonly WireApproval[]): void {
    for (const { approvalId } of waiting) {
      this.#asked.add(approvalId);
      this.#later.delete(approvalId);
    }
    this.#next();
  }

  #next(): void {
    const { approvals, screen } = this.#deps;
    if (this.#current || screen.choosing) return;
    const next = approvals.pending.find(
      ({ approvalId, sessionKey }) =>
        !this.#later.has(approvalId) && (sessionKey === this.#sessionKey || this.#asked.has(approvalId)),
    );
    if (!next) return;
    this.#current = next;
    screen.endLine();
    if (next.kind === "question") this.#question(next);
    else {
      screen.print(`\n${cardText(this.#deps.io, this.#deps.io.stdout, next.card)}\n`);
      this.#choose(next);
    }
  }

  #question(asked: WireApproval): void {
    const { screen, paint } = this.#deps;
    screen.print(`\n${paint("bold", visibleText(questionWords(asked.summary)))}\n`);
    const options = asked.options ?? [];
    if (options.length === 0) return this.#askWords(asked);
    const choices: Choice[] = options.map((option) => ({
      label: visibleText(option),
      pick: () => this.#decide(asked, (approvals) => approvals.answer(asked.approvalId, option)),
    }));
    screen.choose({
      choices: [...choices, { label: WORDS.otherAnswer, pick: () => this.#askWords(asked) }],
      cancel: () => this.#putOff(asked),
    });
  }

  #askWords(asked: WireApproval): void {
    this.#deps.screen.ask({
      title: WORDS.answerBy,
      submit: (text) =>
        text.trim() === ""
          ? this.#askWords(asked)
          : this.#decide(asked, (approvals) => approvals.answer(asked.approvalId, text.trim())),
      cancel: () => this.#putOff(asked),
    });
  }

  /** A call in doubt has its own answers; any other is allowed or denied. */
  #choose(asked: WireApproval, input?: EditedInput): void {
    const { screen } = this.#deps;
    if (asked.kind === "settle") {
      const answers = asked.options ?? [];
      screen.choose({
        choices: answers.map((answer) => ({
          label: visibleText(answer),
          pick: () => this.#decide(asked, (approvals) => approvals.answer(asked.approvalId, answer)),
        })),
        cancel: () => this.#putOff(asked),
      });
      return;
    }
    const card = input?.card ?? asked.card;
    const canAllow = asked.showable && card.whole;
    const allow: Choice[] = card.allow.map(({ decision, scope, minutes, label, words }) => ({
      label: decision === "once" && label === undefined ? WORDS.allowOnce : visibleText(WORDS.gateway(words)),
      tone: "good" as const,
      pick: () =>
        this.#allow(asked, card, {
          decision,
          ...(decision === "window"
            ? {
                window: {
                  ...(minutes === undefined ? {} : { minutes }),
                  ...(scope === undefined ? {} : { scope }),
                },
              }
            : {}),
          ...(label === undefined ? {} : { label }),
          ...(input === undefined ? {} : { input: input.value }),
        }),
    }));
    screen.choose({
      choices: [
        ...(canAllow ? allow : []),
        ...(canAllow && asked.card.body.kind !== "plan"
          ? [{ label: WORDS.edit, pick: () => void this.#edit(asked, input?.value) }]
          : []),
        { label: WORDS.deny, tone: "bad" as const, pick: () => this.#deny(asked) },
        { label: WORDS.denyNote, tone: "bad" as const, pick: () => this.#denyWithNote(asked, input) },
        {
          label: WORDS.details,
          pick: () => {
            screen.print(`${detailsText(this.#deps.io, this.#deps.io.stdout, card)}\n`);
            this.#choose(asked, input);
          },
        },
        { label: WORDS.later, pick: () => this.#putOff(asked) },
      ],
      cancel: () => this.#putOff(asked),
    });
  }

  #allow(asked: WireApproval, card: WireApproval["card"], how: AllowOptions): void {
    const word = asked.confirm ?? confirmWord(card);
    if (word === undefined) {
      this.#decide(asked, (approvals) => approvals.allow(asked.approvalId, how));
      return;
    }
    this.#deps.screen.ask({
      title: WORDS.confirmBy(word),
      submit: (text) => {
        if (text.trim() !== word) {
          this.#deps.say(WORDS.otherWord);
          this.#choose(asked);
          return;
        }
        const confirmed = asked.confirm === undefined ? how : { ...how, confirm: word };
        this.#decide(asked, (approvals) => approvals.allow(asked.approvalId, confirmed));
      },
      cancel: () => this.#choose(asked),
    });
  }

  #deny(asked: WireApproval, note?: string): void {
    this.#decide(asked, (approvals) => approvals.deny(asked.approvalId, note));
  }

  #denyWithNote(asked: WireApproval, input: EditedInput | undefined): void {
    this.#deps.screen.ask({
      title: WORDS.noteFor,
      submit: (text) => (text.trim() === "" ? this.#choose(asked, input) : this.#deny(asked, text.trim())),
      cancel: () => this.#choose(asked, input),
    });
  }

  /** The input as the owner leaves it in their editor; what would run then is shown before it is decided. */
  async #edit(asked: WireApproval, before: unknown): Promise<void> {
    const { approvals, screen, io, edit, say } = this.#deps;
    const { parse, stringify } = await import("yaml");
    const text = stringify(before ?? asked.card.details.input, { lineWidth: 0 });
    try {
      const fresh = await screen.suspended(() => edit("input.yaml", text));
      if (fresh === text) return this.#choose(asked);
      const value: unknown = parse(fresh);
      const card = await approvals.preview(asked.approvalId, value);
      screen.print(`\n${cardText(io, io.stdout, card)}\n`);
      this.#choose(asked, { value, card });
    } catch (error) {
      const why =
        error instanceof FailureError
          ? WORDS.failure(error.failure.reason, error.failure.message)
          : yamlProblem(error);
      say(WORDS.cannotEdit(why));
      this.#choose(asked);
    }
  }

  #decide(asked: WireApproval, how: (approvals: PendingApprovals) => Promise<unknown>): void {
    how(this.#deps.approvals).then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof FailureError)) throw error;
        this.#deps.say(WORDS.failed(WORDS.failure(error.failure.reason, error.failure.message)));
        if (this.#current === asked) this.#choose(asked);
      },
    );
  }

  #putOff({ approvalId }: WireApproval): void {
    this.#later.add(approvalId);
    this.#asked.delete(approvalId);
    this.#current = undefined;
    this.#deps.say(WORDS.decideLater);
    this.#next();
  }

  #outcome(approval: WireApproval): string {
    const { kind, decided } = approval;
    const here = decided.by?.kind === "owner" && decided.by.surface === "cli";
    if (kind !== "approval") return here ? "" : WORDS.answeredElsewhere;
    const words = WORDS.gateway(outcomeText({ kind: "approval", card: approval.card, decided }));
    return here ? words : WORDS.decidedElsewhere(words);
  }
}

/** What runs instead of what was asked for, and how that reads. */
interface EditedInput {
  readonly value: unknown;
  readonly card: WireApproval["card"];
}

function yamlProblem(error: unknown): string {
  if (error instanceof Error && error.name === "YAMLParseError") return error.message.split("\n")[0] ?? "";
  throw error;
}
