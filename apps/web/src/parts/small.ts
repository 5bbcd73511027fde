import { html, nothing, type TemplateResult } from "lit";
import { callWord, type StateWord, stateWord } from "@elwood/core/base/state-words";
import type { GatewayClient } from "@elwood/sdk/client";
import type { Loaded } from "../state/loader.ts";
import { agoText, dateText, middleText, gatewayNow } from "./format.ts";
import { icon, type IconName, isIcon } from "./icon.ts";
import { stateText } from "../words/states.ts";
import { say } from "../words/en/parts.ts";
import { fill, fillIn } from "../words/fill.ts";

/** Small pieces of markup that every page uses. They keep no state. */

/** How long ago, with the exact moment on hover. It is brought up to date as long as the page is open. */
export function timeAgo(at: number): TemplateResult {
  return html`<time data-ago datetime=${new Date(at).toISOString()} title=${dateText(at)}
    >${agoText(at, gatewayNow())}</time
  >`;
}

/** A state as an icon and a word; the colour only helps. */
export function stateBadge(table: Readonly<Record<string, StateWord>>, state: string): TemplateResult {
  return wordBadge(stateWord(table, state));
}

/** How a call stands, or with which code its program ended. */
export function callBadge(state: string, exitCode?: number): TemplateResult {
  return wordBadge(callWord(state, exitCode));
}

function wordBadge({ word, tone, icon: name }: StateWord): TemplateResult {
  return html`<span class="badge" data-tone=${tone}
    >${isIcon(name) ? icon(name, 14) : nothing}${stateText(word)}</span
  >`;
}

/** An id, cut in the middle, with a button that copies the whole. */
export function idLabel(id: string): TemplateResult {
  return html`<span class="id-label"
    ><code title=${id}>${middleText(id)}</code>${copyButton(id, fill(say.copy2, id))}</span
  >`;
}

export function copyButton(text: string, label: string): TemplateResult {
  return html`<button
    type="button"
    class="icon-button copy"
    aria-label=${label}
    title=${label}
    @click=${(event: Event) => void copied(event, text)}
  >
    ${icon("copy", 16)}
  </button>`;
}

async function copied(event: Event, text: string): Promise<void> {
  const button = event.currentTarget;
  if (!(button instanceof HTMLElement)) return;
  const done = await copyText(text);
  button.dataset["copied"] = done ? "yes" : "no";
  window.setTimeout(() => delete button.dataset["copied"], 1_500);
}

/** Over plain http from another machine there is no clipboard to write to. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not allowed here
  }
}

export interface EmptyState {
  readonly icon: IconName;
  readonly title: string;
  readonly text?: string;
  readonly action?: TemplateResult;
}

export function emptyState({ icon: name, title, text, action }: EmptyState): TemplateResult {
  return html`<div class="empty-state">
    ${icon(name, 28)}
    <p class="empty-title">${title}</p>
    ${text === undefined ? nothing : html`<p class="hint">${text}</p>`} ${action ?? nothing}
  </div>`;
}

/** Everything that a list can be: not yet there, empty, failed, or there. */
export function loadedView<T>(
  loaded: Loaded<T>,
  parts: {
    readonly isEmpty: (value: T) => boolean;
    readonly empty: EmptyState;
    readonly view: (value: T) => TemplateResult;
    readonly retry: () => void;
    /** The name of the page, for as long as there is nothing that has one of its own. */
    readonly heading?: string;
  },
): TemplateResult {
  if (parts.heading !== undefined && loaded.state !== "ready") {
    const { heading, ...rest } = parts;
    return html`<h1 class="unseen">${heading}</h1>
      ${loadedView(loaded, rest)}`;
  }
  if (loaded.state === "waiting") return html`<div aria-busy="true"></div>`;
  if (loaded.state === "loading") {
    return html`<div class="skeleton" aria-busy="true">
      <span class="unseen">${say.loading}</span>
      ${[0, 1, 2, 3, 4].map(() => html`<div class="skeleton-row"></div>`)}
    </div>`;
  }
  if (loaded.state === "failed" && loaded.missing) {
    const all = `/${location.pathname.split("/")[1] ?? ""}`;
    return emptyState({
      icon: "search",
      title: loaded.message,
      action: html`<a class="button" href=${all}>${say.seeAllThereAre}</a>`,
    });
  }
  if (loaded.state === "failed") {
    return html`<div class="line bad" role="alert">
      ${loaded.message} <button type="button" @click=${parts.retry}>${say.tryAgain}</button>
    </div>`;
  }
  return parts.isEmpty(loaded.value) ? emptyState(parts.empty) : parts.view(loaded.value);
}

/** The top of a page: its name, a line about it, and what can be done. */
export function pageHead(title: string, about: string, actions: unknown = nothing): TemplateResult {
  return html`<header class="page-head">
    <div>
      <h1>${title}</h1>
      <p class="hint">${about}</p>
    </div>
    <div class="page-actions">${actions}</div>
  </header>`;
}

/** Parts of a page, each at an address of its own. The first is where the page begins. */
export function tabNav(
  label: string,
  tabs: readonly { readonly id: string; readonly title: unknown }[],
  current: string,
  path: string,
): TemplateResult {
  return html`<nav class="tabs" aria-label=${label}>
    ${tabs.map(
      ({ id, title }, i) =>
        html`<a
          class="tab"
          href=${i === 0 ? path : `${path}?show=${id}`}
          aria-current=${id === current ? "page" : nothing}
          >${title}</a
        >`,
    )}
  </nav>`;
}

/** A note in place of what this login may not do; nothing if it may. */
export function notPermitted(
  { link }: { readonly link: GatewayClient },
  scope: "approve" | "admin",
  what: string,
): TemplateResult | typeof nothing {
  if (!link.ready || link.may(scope)) return nothing;
  return html`<span class="hint may-not">${fillIn(say.thisLoginMayNotItLacks, what, scope)}</span>`;
}

/** What only a login with the scope admin may see; for others, what they need. */
export function adminOnly(
  { link }: { readonly link: GatewayClient },
  view: () => TemplateResult,
): TemplateResult | typeof nothing {
  if (!link.hello.value) return nothing;
  if (link.may("admin")) return view();
  return emptyState({
    icon: "lock",
    title: say.thisLoginMayNotSeeThis,
    text: say.itNeedsALoginWithThe,
  });
}
