import { html, nothing, type PropertyDeclarations } from "lit";
import type { Tone } from "@elwood/core/base/state-words";
import { ticketIn } from "../gateway/login.ts";
import { Part } from "./app-element.ts";
import { say } from "../words/en/app.ts";

/** A ticket or token as somebody pasted it. */
export type Secret = { readonly ticket: string } | { readonly token: string };

/** The quiet screen for a tab that is not logged in. */
export class LoginScreen extends Part {
  static override properties: PropertyDeclarations = {
    problem: { attribute: false },
    tone: { attribute: false },
    onSecret: { attribute: false },
    busy: { state: true },
  };
  declare problem: string | undefined;
  declare tone: Tone;
  declare onSecret: (secret: Secret) => Promise<void>;
  declare busy: boolean;

  protected override render(): unknown {
    return html`<main class="login">
      <img class="login-mark" src="/icon.svg" alt="" width="40" height="40" />
      <h1>${say.logInToElwood}</h1>
      ${this.problem === undefined ? nothing : html`<p class="line ${this.tone}" role="alert">${this.problem}</p>`}
      <p>${say.elwoodOpensToAOneTime}</p>
      <pre class="command"><code>npx elwood open</code></pre>
      <form @submit=${(event: Event) => void this.#submit(event)}>
        <label for="login-secret">${say.orPasteALinkOrA}</label>
        <div class="field-row">
          <input
            id="login-secret"
            type="password"
            autocomplete="off"
            autocapitalize="off"
            spellcheck="false"
            aria-describedby="login-hint"
            required
          />
          <button class="primary" type="submit" ?disabled=${this.busy}>${say.logIn}</button>
        </div>
        <p id="login-hint" class="hint">${say.aLinkWorksOnceForTen}</p>
      </form>
    </main>`;
  }

  protected override firstUpdated(): void {
    this.querySelector("input")?.focus();
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const field = this.querySelector("input");
    const pasted = field?.value.trim() ?? "";
    if (!field || pasted === "") return;
    this.busy = true;
    const ticket = ticketIn(pasted);
    await this.onSecret(ticket === undefined ? { token: pasted } : { ticket });
    this.busy = false;
    field.value = "";
  }
}

customElements.define("elwood-login-screen", LoginScreen);
