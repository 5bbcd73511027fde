import { showLine } from "@elwood/core/base/show";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { textIn } from "../../parts/form-text.ts";
import { countText, untilText } from "../../parts/format.ts";
import { copyButton, loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/connections.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Token = MethodResult<"tokens.list">["tokens"][number];
type Scope = Token["scopes"][number];

const SCOPES: readonly { readonly scope: Scope; readonly words: string }[] = [
  {
    scope: "chat",
    get words() {
      return say.talkAndReadConversationsRunsAnd;
    },
  },
  {
    scope: "approve",
    get words() {
      return say.decideWhatMayRunUndoStop;
    },
  },
  {
    scope: "admin",
    get words() {
      return say.credentialsTokensSettings;
    },
  },
  {
    scope: "execute",
    get words() {
      return say.executeActionsAndAskModelsAs;
    },
  },
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
        title: say.noTokenWasMade,
        text: say.eachProgramAndBrowserHasA,
        ...(this.making ? {} : { action: this.#new() }),
      },
      view: (tokens) => {
        const closed = tokens.filter(isOfClosedTab);
        return html`<ul class="profiles">
            ${tokens.filter((token) => !isOfClosedTab(token)).map((token) => this.#row(token))}
          </ul>
          ${closed.length === 0 ? nothing : this.#closedTabs(closed)}`;
      },
      retry: () => void this.#loader.load(),
    })}
    ${this.making ? this.#form() : this.#loader.value?.length ? html`<p class="token-new">${this.#new()}</p>` : nothing}`;
  }

  #new(): TemplateResult {
    return html`<button type="button" class="token-make" @click=${() => this.#makes(true)}>
      ${say.newToken}
    </button>`;
  }

  #shownOnce({ name, token }: { name: string; token: string }): TemplateResult {
    return html`<div class="line warn token-once" role="alert">
      <p>${fillIn(say.theTokenOfItIsShown, html`<strong>${showLine(name)}</strong>`)}</p>
      <p><code>${token}</code>${copyButton(token, say.copyTheToken)}</p>
      <button
        type="button"
        @click=${() => {
          this.made = undefined;
          this.#makes(false);
        }}
      >
        ${say.iHaveIt}
      </button>
    </div>`;
  }

  #row(token: Token): TemplateResult {
    const { id, name, scopes, createdAt, lastUsedAt, expiresAt, device, current, tenant } = token;
    return html`<li class="profile">
      <div>
        <p>
          <strong>${showLine(name)}</strong>
          ${current ? html`<span class="badge" data-tone="ok">${say.thisBrowser}</span> ` : nothing}
          ${device ? html`<span class="badge">${say.staysLoggedIn}</span> ` : nothing}
          ${scopes.map((scope) => html`<span class="badge">${scope}</span> `)}
        </p>
        <p class="hint profile-facts">
          ${tenant === undefined ? nothing : html`<span>${fillIn(say.ofTheTenant, showLine(tenant))}</span>`}
          <span>${fillIn(say.created, timeAgo(createdAt))}</span>
          <span
            >${lastUsedAt === undefined ? say.notUsedYet : html`${fillIn(say.active, timeAgo(lastUsedAt))}`}</span
          >
          <span
            >${expiresAt === undefined ? say.doesNotExpire : fill(say.expires, untilText(expiresAt, this.app.link.now()))}</span
          >
        </p>
      </div>
      <button type="button" @click=${() => void this.#revoke(id, name)}>${say.revoke}</button>
    </li>`;
  }

  /** They open nothing for anybody, as long as nobody brings the tab back; who wants them gone ends them at once. */
  #closedTabs(tokens: readonly Token[]): TemplateResult {
    return html`<details class="token-closed">
      <summary>${countText(tokens.length, say.loginOfAClosedTab, say.loginsOfClosedTabs)}</summary>
      <p class="hint">${say.eachTabThatALinkLets}</p>
      <ul class="profiles">
        ${tokens.map((token) => this.#row(token))}
      </ul>
      <p><button type="button" @click=${() => void this.#endAll(tokens)}>${say.endThemAll}</button></p>
    </details>`;
  }

  #form(): TemplateResult {
    return html`<form class="card token-form" @submit=${(event: Event) => void this.#create(event)}>
      <label for="token-name">${say.name}</label>
      <input
        id="token-name"
        name="name"
        required
        maxlength="100"
        placeholder=${say.backupScript}
        autocomplete="off"
      />
      <fieldset>
        <legend>${say.whatMayItDo}</legend>
        ${SCOPES.map(
          ({ scope, words }, i) =>
            html`<label class="choice">
              <input type="checkbox" name="scope" value=${scope} ?checked=${i === 0} />
              <span><strong>${scope}</strong>: ${words}</span>
            </label>`,
        )}
      </fieldset>
      <label for="token-tenant">${say.ofWhichTenant}</label>
      <input
        id="token-tenant"
        name="tenant"
        maxlength="64"
        pattern="[a-z0-9][a-z0-9_-]*"
        placeholder=${say.yourOwn}
        autocomplete="off"
      />
      <p class="hint">${say.aTenantHasConversationsReceiptsAnd}</p>
      <label for="token-days">${say.forHowLong}</label>
      <select id="token-days" name="days">
        <option value="30">${say.n30Days}</option>
        <option value="365">${say.aYear}</option>
        <option value="">${say.untilRevoked}</option>
      </select>
      <div class="dialog-buttons">
        <button type="button" @click=${() => this.#makes(false)}>${say.cancel}</button>
        <button type="submit">${say.create}</button>
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
      this.app.toasts.show(say.chooseAtLeastOneThingIt, { tone: "bad" });
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

  async #endAll(tokens: readonly Token[]): Promise<void> {
    await this.app.attempt(async () => {
      for (const { id } of tokens) await this.app.link.call("tokens.revoke", { tokenId: id });
    });
    await this.#loader.load();
    await this.updateComplete;
    this.querySelector<HTMLElement>(".token-make")?.focus();
  }

  async #revoke(tokenId: string, name: string): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.revokeTheTokenOf, showLine(name)),
      text: say.itsConnectionsAreClosedAtOnce,
      yes: say.revokeIt,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("tokens.revoke", { tokenId }));
    if (this.app.link.ready) await this.#loader.load();
  }
}

function isOfClosedTab({ browser, connected, current }: Token): boolean {
  return browser === true && !connected && !current;
}

customElements.define("elwood-token-list", TokenList);
