/** @import { Decided, WireApproval } from "@elwood/core/protocol/approval-shapes" */
import { build, timeElement } from "./dom.js";
import { changeView, valueView } from "./change-view.js";

/** An answer that comes sooner than anybody can read was meant for something else. */
const MISFIRE_MS = 400;

/** @type {Readonly<Record<string, string>>} */
const RISK_WORDS = { read: "Reads", write: "Changes something", destructive: "Destroys something" };

/**
 * @typedef {object} CardActions
 * @property {(approvalId: string, confirm: string | undefined) => Promise<Decided>} allow
 * @property {(approvalId: string, note: string | undefined) => Promise<Decided>} deny
 * @property {(questionId: string, answer: string) => Promise<Decided>} answer
 */

/**
 * Something that waits for the owner, where the call stands in the conversation: all that
 * would run, why it asks, and the buttons that decide. Once it is decided, wherever that
 * was, it says by whom, and can no longer be pressed.
 */
export class ApprovalCard {
  element;
  approval;
  #actions = build("div", { class: "card-actions" });
  #outcome = build("p", { class: "card-outcome", role: "status" });
  #armedAt = 0;
  #busy = false;

  /**
   * @param {WireApproval} approval
   * @param {boolean} mayDecide
   * @param {CardActions} actions
   */
  constructor(approval, mayDecide, actions) {
    this.approval = approval;
    this.actions = actions;
    const titleId = `card-${approval.approvalId}`;
    const title = build("h3", { class: "card-title", id: titleId }, [approval.summary]);
    this.element = build(
      "section",
      { class: "card", "aria-labelledby": titleId, tabindex: "-1", "data-from": "gateway" },
      [build("p", { class: "card-kind" }, [kindBadge(approval)]), title, ...facts(approval)],
    );
    this.element.append(this.#outcome, this.#actions);
    if (approval.decided.status !== "pending") this.decided(approval.decided);
    else if (!mayDecide) this.#say("This login may not decide. Answer from one that may.");
    else if (approval.kind === "approval") this.#offerDecision(approval);
    else this.#offerAnswer(approval);
    this.guard();
  }

  get isPending() {
    return this.approval.decided.status === "pending";
  }

  /** What is pressed in the next moment was not meant for this card: it has only just come under the finger. */
  guard() {
    this.#armedAt = performance.now() + MISFIRE_MS;
  }

  /** @param {Decided} decided */
  decided(decided) {
    this.approval = { ...this.approval, decided };
    const held = this.element.contains(document.activeElement);
    this.#actions.remove();
    this.element.dataset["outcome"] = decided.status;
    this.#outcome.replaceChildren(outcomeText(this.approval), " ", timeElement(decided.at ?? Date.now()));
    if (decided.note !== undefined && this.approval.kind === "approval")
      this.#outcome.append(build("span", { class: "card-note" }, [`Note: ${decided.note}`]));
    // The button that had the focus is gone; the reader stays where they were.
    if (held) this.element.focus({ preventScroll: true });
  }

  /** @param {WireApproval} approval */
  #offerDecision({ showable, risk, summary, confirm }) {
    const note = build("textarea", { rows: "2", maxlength: "2000", id: `note-${this.approval.approvalId}` });
    const label = build("label", { for: note.id }, ["What shall the model know?"]);
    const send = build("button", { type: "submit" }, ["Deny with this note"]);
    const back = build("button", { type: "button", class: "quiet" }, ["Back"]);
    const form = build("form", { class: "card-form" }, [label, note, row(send, back)]);
    form.hidden = true;
    const deny = build("button", { type: "button" }, ["Deny"]);
    const withNote = build("button", { type: "button" }, ["Deny with a note…"]);
    const typed = confirm === undefined ? undefined : this.#wordField(confirm);
    const allow = showable ? [this.#allowButton(risk, summary, typed)] : [];
    const buttons = row(...(typed && showable ? [typed.element] : []), ...allow, deny, withNote);
    const show = (/** @type {boolean} */ writing) => {
      form.hidden = !writing;
      buttons.hidden = writing;
      (writing ? note : withNote).focus();
      if (writing) form.scrollIntoView({ block: "nearest" });
    };
    const { approvalId } = this.approval;
    this.#onPress(deny, () => this.#decide(() => this.actions.deny(approvalId, undefined)));
    this.#onPress(withNote, () => show(true));
    this.#onPress(back, () => show(false));
    this.#onSubmit(form, () => {
      const words = note.value.trim();
      return this.#decide(() => this.actions.deny(approvalId, words === "" ? undefined : words));
    });
    if (!showable)
      this.#say("This is too long to be shown whole, so it cannot be allowed. It can be denied.");
    this.#actions.append(buttons, form);
  }

  /**
   * A plan that destroys something is allowed by a typed word.
   *
   * @param {string} word
   */
  #wordField(word) {
    const field = build("input", {
      type: "text",
      autocomplete: "off",
      id: `word-${this.approval.approvalId}`,
    });
    const label = build("label", { for: field.id }, [`Type “${word}” to allow it`]);
    const read = () => {
      if (field.value.trim() === word) return word;
      this.#say(`It destroys something. Type “${word}” first.`);
      field.focus();
      return undefined;
    };
    return { element: build("span", { class: "card-word" }, [label, field]), read };
  }

  /**
   * What destroys something is allowed with a second press.
   *
   * @param {string} risk
   * @param {string} summary
   * @param {{ read: () => string | undefined } | undefined} typed
   */
  #allowButton(risk, summary, typed) {
    const allow = build("button", { type: "button", class: "primary" }, ["Allow once"]);
    let sure = risk !== "destructive";
    this.#onPress(allow, async () => {
      const word = typed?.read();
      if (typed && word === undefined) return;
      if (sure) {
        await this.#decide(() => this.actions.allow(this.approval.approvalId, word));
        return;
      }
      sure = true;
      this.guard();
      allow.textContent = "Yes, allow it once";
      this.#say(`Press again to allow it: ${summary}`);
    });
    return allow;
  }

  /** @param {WireApproval} approval */
  #offerAnswer({ approvalId, options, kind }) {
    if (options) {
      const buttons = options.map((option) => {
        const button = build("button", { type: "button" }, [
          kind === "settle" ? settleWords(option) : option,
        ]);
        this.#onPress(button, () => this.#decide(() => this.actions.answer(approvalId, option)));
        return button;
      });
      this.#actions.append(row(...buttons));
      return;
    }
    const box = build("textarea", { rows: "2", maxlength: "20000", id: `answer-${approvalId}` });
    const label = build("label", { for: box.id }, ["Your answer"]);
    const send = build("button", { type: "submit", class: "primary" }, ["Answer"]);
    const form = build("form", { class: "card-form" }, [label, box, row(send)]);
    this.#onSubmit(form, async () => {
      const words = box.value.trim();
      if (words === "") box.focus();
      else await this.#decide(() => this.actions.answer(approvalId, words));
    });
    this.#actions.append(form);
  }

  /**
   * @param {HTMLButtonElement} button
   * @param {() => void | Promise<void>} act
   */
  #onPress(button, act) {
    button.addEventListener("click", () => {
      if (!this.#isTooSoon()) void act();
    });
  }

  /**
   * @param {HTMLFormElement} form
   * @param {() => void | Promise<void>} act
   */
  #onSubmit(form, act) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!this.#isTooSoon()) void act();
    });
  }

  #isTooSoon() {
    return this.#busy || performance.now() < this.#armedAt;
  }

  /** @param {() => Promise<Decided>} decide */
  async #decide(decide) {
    if (!this.isPending) return;
    this.#setBusy(true);
    try {
      const decided = await decide();
      if (this.isPending) this.decided(decided);
    } catch (error) {
      this.#say(`Nothing was decided here. ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      this.#setBusy(false);
    }
  }

  /**
   * Not by `disabled`, which would take the focus away.
   *
   * @param {boolean} busy
   */
  #setBusy(busy) {
    this.#busy = busy;
    for (const button of this.#actions.querySelectorAll("button")) {
      button.setAttribute("aria-disabled", String(busy));
    }
  }

  /** @param {string} text */
  #say(text) {
    this.#outcome.textContent = text;
  }
}

/** @param {WireApproval} approval */
function kindBadge({ kind, risk }) {
  if (kind !== "approval") return build("span", { class: "badge" }, ["A question for you"]);
  return build("span", { class: `badge ${risk}` }, [RISK_WORDS[risk] ?? risk]);
}

/**
 * @param {WireApproval} approval
 * @returns {HTMLElement[]}
 */
function facts({ kind, toolName, details, preview, plan, rule, reason, sources, expiresAt, showable }) {
  const until = new Date(expiresAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const asked = build("p", { class: "hint" }, [build("code", {}, [toolName]), ` · waits until ${until}`]);
  if (kind === "question") return [asked];
  const why = build("p", { class: "card-why" }, [
    reason,
    " ",
    build("span", { class: "hint" }, [`Rule: ${rule}`]),
  ]);
  return [
    asked,
    valueView(details, showable),
    ...(preview && !plan ? changeView(preview, showable) : []),
    ...(plan ? [planView(plan, showable)] : []),
    ...(sources.length > 0 ? [build("p", { class: "hint" }, [`Read before: ${sources.join(", ")}`])] : []),
    why,
  ];
}

/**
 * Each call of a plan in its order, whole.
 *
 * @param {NonNullable<WireApproval["plan"]>} plan
 * @param {boolean} whole
 */
function planView(plan, whole) {
  return build(
    "ol",
    { class: "card-plan", "aria-label": "What it would do" },
    plan.map(({ summary, toolId, risk, input, preview }) =>
      build("li", {}, [
        build("p", {}, [summary]),
        build("p", { class: "hint" }, [build("code", {}, [toolId]), ` · ${RISK_WORDS[risk] ?? risk}`]),
        valueView(input, whole),
        ...(preview ? changeView(preview, whole) : []),
      ]),
    ),
  );
}

/** @param {WireApproval} approval */
function outcomeText({ kind, decided: { status, by, decision, note } }) {
  const who = by?.kind === "owner" ? ` by ${by.id} on ${by.surface}` : "";
  if (status === "expired") return "Expired: nobody decided in time. It was not done.";
  if (kind !== "approval")
    return `Answered${who}: ${kind === "settle" ? settleWords(note ?? "") : (note ?? "")}`;
  if (status === "denied") return `Denied${who}.`;
  const longer = decision === "window" ? " for a while" : decision === "always" ? " until revoked" : " once";
  return `Allowed${longer}${who}.`;
}

/** @param {string} option */
function settleWords(option) {
  return option === "happened" ? "It happened" : option === "did-not-happen" ? "It did not happen" : option;
}

/** @param {readonly HTMLElement[]} buttons */
function row(...buttons) {
  return build("div", { class: "card-buttons" }, buttons);
}
