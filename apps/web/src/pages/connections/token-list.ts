import { showLine } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { textIn } from "../../parts/form-text.ts";
import { untilText } from "../../parts/format.ts";
import { copyButton, loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";

type Token = MethodResult<"tokens.list">["tokens"][number];
type Scope = Token["scopes"][number];

const SCOPES: readonly { readonly scope: Scope; readonly words: string }[] = [
  { scope: "chat", words: "talk, and read conversations, runs and receipts" },
  { scope: "approve", words: "decide what may run, undo, stop everything" },
  { scope: "admin", words: "credentials, tokens, settings" },
  { scope: "execute", words: "execute actions, and ask models as other programs do" },
];

/** Who may talk to this gateway: each by name and scope, with a way to end it. A new one is shown once. */
export class TokenList extends AppElement {
  static override properties: PropertyDeclarations = { made: { state: true }, making: { state: true } };
  declare made: { readonly name: string; readonly token: string } | undefined;
  declare making: boolean;
  readonly #loader = new Loader(this, async () => (await this.app.link.call("tokens.list", {})).tokens);

  constructor() {
    super();
    this.making = false;
  }

  protected override entered(): readonly (() => void)[] {
    return [this.app.link.onReady(() => void this.#loader.load())];
  }

  protected override render(): unknown {
    return html`${this.made ? this.#shownOnce(this.made) : nothing}
    ${loadedView(this.#loader.now, {
      isEmpty: (tokens) => tokens.length === 0,
      empty: {
        icon: "key",
        title: "No token was made.",
        text: "Each program and browser has a token of its own, which you can end.",
        ...(this.making ? {} : { action: this.#new() }),
      },
      view: (tokens) =>
        html`<ul class="profiles">
          ${tokens.map((token) => this.#row(token))}
        </ul>`,
      retry: () => void this.#loader.load(),
    })}
    ${this.making ? this.#form() : this.#loader.value?.length ? html`<p class="token-new">${this.#new()}</p>` : nothing}`;
  }

  #new(): TemplateResult {
    return html`<button type="button" class="token-make" @click=${() => this.#makes(true)}>
      New token…
    </button>`;
  }

  #shownOnce({ name, token }: { name: string; token: string }): TemplateResult {
    return html`<div class="line warn token-once" role="alert">
      <p>The token of <strong>${showLine(name)}</strong>. It is shown this once:</p>
      <p><code>${token}</code>${copyButton(token, "Copy the token")}</p>
      <button
        type="button"
        @click=${() => {
          this.made = undefined;
          this.#makes(false);
        }}
      >
        I have it
      </button>
    </div>`;
  }

  #row(token: Token): TemplateResult {
    const { id, name, scopes, createdAt, lastUsedAt, expiresAt, device, current, tenant } = token;
    return html`<li class="profile">
      <div>
        <p>
          <strong>${showLine(name)}</strong>
          ${current ? html`<span class="badge" data-tone="ok">this browser</span> ` : nothing}
          ${device ? html`<span class="badge">stays logged in</span> ` : nothing}
          ${scopes.map((scope) => html`<span class="badge">${scope}</span> `)}
        </p>
        <p class="hint profile-facts">
          ${tenant === undefined ? nothing : html`<span>of the tenant ${showLine(tenant)}</span>`}
          <span>created ${timeAgo(createdAt)}</span>
          <span>${lastUsedAt === undefined ? "not used yet" : html`active ${timeAgo(lastUsedAt)}`}</span>
          <span
            >${expiresAt === undefined ? "does not expire" : `expires ${untilText(expiresAt, this.app.link.now())}`}</span
          >
        </p>
      </div>
      <button type="button" @click=${() => void this.#revoke(id, name)}>Revoke</button>
    </li>`;
  }

  #form(): TemplateResult {
    return html`<form class="card token-form" @submit=${(event: Event) => void this.#create(event)}>
      <label for="token-name">Name</label>
      <input
        id="token-name"
        name="name"
        required
        maxlength="100"
        placeholder="backup script"
        autocomplete="off"
      />
      <fieldset>
        <legend>What may it do?</legend>
        ${SCOPES.map(
          ({ scope, words }, i) =>
            html`<label class="choice">
              <input type="checkbox" name="scope" value=${scope} ?checked=${i === 0} />
              <span><strong>${scope}</strong>: ${words}</span>
            </label>`,
        )}
      </fieldset>
      <label for="token-tenant">Of which tenant?</label>
      <input
        id="token-tenant"
        name="tenant"
        maxlength="64"
        pattern="[a-z0-9][a-z0-9_-]*"
        placeholder="your own"
        autocomplete="off"
      />
      <p class="hint">
        A tenant has conversations, receipts and usage of its own; workspace, tools and model keys are shared.
      </p>
      <label for="token-days">For how long?</label>
      <select id="token-days" name="days">
        <option value="30">30 days</option>
        <option value="365">a year</option>
        <option value="">until revoked</option>
      </select>
      <div class="dialog-buttons">
        <button type="button" @click=${() => this.#makes(false)}>Cancel</button>
        <button type="submit" class="primary">Create</button>
      </div>
    </form>`;
  }

  async #create(event: Event): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const name = textIn(data, "name");
    const days = Number(textIn(data, "days"));
    const tenant = textIn(data, "tenant").trim();
    const scopes = SCOPES.map(({ scope }) => scope).filter((scope) => data.getAll("scope").includes(scope));
    if (scopes.length === 0) {
      this.app.toasts.show("Choose at least one thing it may do.", { tone: "bad" });
      return;
    }
    const made = await this.app.attempt(() =>
      this.app.link.call("tokens.create", {
        name,
        scopes,
        ...(days > 0 ? { expiresInDays: days } : {}),
        ...(tenant === "" ? {} : { tenant }),
      }),
    );
    if (!made) return;
    this.made = { name, token: made.token };
    this.#makes(false);
    await this.#loader.load();
  }

  /** Opens or closes the form; the focus goes to what came in the place of what was pressed. */
  #makes(making: boolean): void {
    this.making = making;
    void this.updateComplete.then(() =>
      this.querySelector<HTMLElement>("#token-name, .token-once button, .token-make")?.focus(),
    );
  }

  async #revoke(tokenId: string, name: string): Promise<void> {
    const sure = await confirmDialog({
      title: `Revoke the token of ${showLine(name)}?`,
      text: "Its connections are closed at once. If it is the one of this browser, you are logged out.",
      yes: "Revoke it",
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("tokens.revoke", { tokenId }));
    if (this.app.link.ready) await this.#loader.load();
  }
}

customElements.define("elwood-token-list", TokenList);
