import { html, nothing, type PropertyDeclarations } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Tone } from "@elwood/core/base/state-words";
import { Part } from "./app-element.ts";
import type { AppContext } from "./context.ts";
import type { LoginScreen, Secret } from "./login-screen.ts";
import "./login-screen.ts";
import "./shell.ts";

/** The root: nothing yet, the login, or the app of one token. */
export class App extends Part {
  static override properties: PropertyDeclarations = { context: { state: true }, login: { state: true } };
  declare context: AppContext | undefined;
  declare login: Pick<LoginScreen, "problem" | "tone"> | undefined;
  onSecret: (secret: Secret) => Promise<void> = async () => {};

  show(context: AppContext): void {
    this.login = undefined;
    this.context = context;
  }

  showLogin(problem: string | undefined, tone: Tone = "bad"): void {
    this.context = undefined;
    this.login = { problem, tone };
    // Dialogs stand beside the app; what they show belongs to whoever was logged in.
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    document.title = "Elwood";
    document.querySelector('link[rel="icon"]')?.setAttribute("href", "/icon.svg");
  }

  protected override render(): unknown {
    // Another login is another app: whatever hangs on the one before goes with it.
    if (this.context) return keyed(this.context, html`<elwood-shell .app=${this.context}></elwood-shell>`);
    if (!this.login) return nothing;
    return html`<elwood-login-screen
      .problem=${this.login.problem}
      .tone=${this.login.tone}
      .onSecret=${(secret: Secret) => this.onSecret(secret)}
    ></elwood-login-screen>`;
  }
}

customElements.define("elwood-app", App);
