import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { html, render, type TemplateResult } from "lit";
import type { AppContext } from "../../app/context.ts";
import { RequestError } from "@elwood/sdk/client";
import { icon } from "../../parts/icon.ts";
import { makeMenu } from "../../parts/menu.ts";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";

/** What the message box does while something waits for the owner. */

/** What Enter does with a message while a card waits. */
export type CardChoice = "after" | "deny";

/** As much as the gateway takes for the reason of a denial. */
const REASON_CHARS_MAX = 2_000;

/** What became of the words: they arrived, they stay in the box and why, or they are a message like any other. */
export type Response =
  | { readonly kind: "arrived"; readonly words: string }
  | { readonly kind: "kept"; readonly why: string }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "message" };

export async function respond(
  { waiting }: AppContext,
  { approvalId, kind }: WireApproval,
  text: string,
  choice: CardChoice,
): Promise<Response> {
  if (kind === "approval" && isBareYes(text))
    return { kind: "refused", why: say.typingCannotApproveDecideOnThe };
  if (kind === "approval" && choice === "after") return { kind: "message" };
  if (kind === "approval" && text.length > REASON_CHARS_MAX)
    return {
      kind: "kept",
      why: fill(say.theReasonIsLongerThanCharacters, REASON_CHARS_MAX),
    };
  try {
    const isMine =
      kind === "approval"
        ? (await waiting.deny(approvalId, text)).status === "denied"
        : await waiting.answered(approvalId, text);
    if (!isMine) return { kind: "kept", why: say.itWasDecidedElsewhereAMoment };
    return { kind: "arrived", words: kind === "approval" ? say.deniedElwoodIsToldWhy : say.answered };
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const why = error.lost ? say.elwoodCannotBeReachedNowYour : fill(say.nothingWasDecided, error.message);
    return { kind: "kept", why };
  }
}

/** Both choices, beside the button that says which one Enter takes. */
export function openCardChoice(
  button: HTMLElement,
  chosen: CardChoice,
  choose: (choice: CardChoice) => void,
): void {
  const menu = makeMenu(button, "menu", say.whatEnterDoes);
  const item = (choice: CardChoice, words: string, hint: string): TemplateResult =>
    html`<button
      type="button"
      class="quiet"
      role="menuitemradio"
      aria-checked=${choice === chosen ? "true" : "false"}
      @click=${() => {
        menu.close();
        choose(choice);
      }}
    >
      ${choice === chosen ? icon("check", 16) : html`<span class="no-icon"></span>`}
      <span>${words}<span class="hint choice-hint">${hint}</span></span>
    </button>`;
  render(
    html`${item("after", say.sendAfterThis, say.theMessageWaitsUntilTheCard)}
    ${item("deny", say.denyAndTell, say.whatYouWriteGoesToElwood)}`,
    menu.element,
  );
  menu.element.classList.add("send-menu");
  menu.place();
  menu.element.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
}

/** Brings the card to the reader, in the conversation or, where it is not drawn there, on its own page. */
export function focusCard(app: AppContext, { approvalId }: WireApproval, within: ParentNode): void {
  type Card = HTMLElement & { approval?: WireApproval; approvals?: readonly WireApproval[] };
  const cards = [...within.querySelectorAll<Card>("elwood-approval-dialog, elwood-approval-group")];
  const card = cards.find(({ approval, approvals = [] }) =>
    [approval, ...approvals].some((each) => each?.approvalId === approvalId),
  );
  const target = card?.querySelector<HTMLElement>(".approval");
  if (!target) {
    app.waiting.focusFirst = true;
    app.router.go(`/approvals/${approvalId}`);
    return;
  }
  target.focus();
  target.scrollIntoView({ block: "nearest" });
}

/**
 * Whether a message says yes and nothing else. While a card waits, whoever writes that takes
 * the box for the button: a message approves nothing.
 */
export function isBareYes(text: string): boolean {
  const words = text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\s.,!。！👍✅]+/gu, " ")
    .trim();
  return YES.has(words) || (words === "" && /[👍✅]/u.test(text));
}

const YES: ReadonlySet<string> = new Set(
  [
    "y|yes|yes please|yep|yeah|yup|sure|ok|okay|k|ok go|fine|please do",
    "go|go ahead|go on|do it|proceed|continue|confirm|confirmed|agreed",
    "allow|allow it|approve|approved|approve it|accept|lgtm",
    "j|ja|jo|jawohl|ja bitte|klar|mach|mach das|mach es|erlauben|passt",
    "oui|d'accord|d’accord|vas-y|bien sûr",
    "si|sí|claro|vale|dale|adelante|sì|certo|va bene|sim|pode",
    "da|да|давай|tak|ano|igen|evet|naam|हाँ|نعم|כן",
    "はい|うん|네|예|是|是的|好|好的|可以|行",
  ].flatMap((line) => line.split("|")),
);
