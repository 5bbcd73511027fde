import { html, nothing, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { restReason } from "@elwood/core/model/rest-reason";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { dateText, moneyText, untilText } from "../../parts/format.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/connections.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Profile = MethodResult<"auth.list">["profiles"][number];

/** Stored credentials, by the last characters of their secret and never more. */
export class ProfileList extends AppElement {
  readonly #loader = new Loader(this, async () => (await this.app.link.call("auth.list", {})).profiles);

  protected override entered(): readonly (() => void)[] {
    const again = () => void this.#loader.load();
    document.addEventListener("elwood-credentials", again);
    return [this.app.link.onReady(again), () => document.removeEventListener("elwood-credentials", again)];
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: (profiles) => profiles.length === 0,
      empty: {
        icon: "key",
        title: say.noCredentialIsStored,
        text: say.theDemoAnswersUntilYouConnect,
      },
      view: (profiles) =>
        html`<ul class="profiles">
          ${profiles.map((profile) => this.#row(profile))}
        </ul>`,
      retry: () => void this.#loader.load(),
    });
  }

  #row(profile: Profile): TemplateResult {
    const {
      id,
      provider,
      type,
      hint,
      source,
      baseUrl,
      createdAt,
      lastUsedAt,
      expiresAt,
      cooldownUntil,
      preferred,
    } = profile;
    const name = id.slice(id.indexOf(":") + 1);
    const stored = source === "stored" || source.includes("auth-profiles");
    const why = restReason(profile.cooldownReason);
    const now = this.app.link.now();
    const cooling = cooldownUntil !== undefined && cooldownUntil > now;
    return html`<li class="profile">
      <div>
        <p>
          <strong title=${id}>${provider}</strong>
          ${name === "default" || source.includes(name) ? nothing : html`<span class="hint">${name}</span>`}
          ${preferred ? html`<span class="badge" data-tone="ok">${say.usedFirst}</span>` : nothing}
          ${
            cooling
              ? html`<span class="badge" data-tone="warn" title=${dateText(cooldownUntil)}
                  >${fillIn(say.restsGoesOn, why === "" ? "" : `: ${why}`, untilText(cooldownUntil, now))}</span
                >`
              : nothing
          }
        </p>
        <p class="hint profile-facts">
          <span>${keyText(type, hint)}</span>
          ${stored ? nothing : html`<span>${fillIn(say.fromEnvironment, source)}</span>`}
          ${baseUrl === undefined ? nothing : html`<span>${baseUrl}</span>`}
          <span
            >${lastUsedAt === undefined ? (createdAt === undefined ? nothing : say.notUsedYet) : html`${fillIn(say.used, timeAgo(lastUsedAt))}`}</span
          >
          ${expiresAt === undefined ? nothing : html`<span>${fillIn(say.expires, untilText(expiresAt, now))}</span>`}
        </p>
      </div>
      <div class="profile-buttons">
        <button type="button" @click=${() => void this.#test(profile)}>${say.test}</button>
        ${
          stored && (!preferred || cooling)
            ? html`<button type="button" @click=${() => void this.#prefer(profile)}>${say.useFirst}</button>`
            : nothing
        }
        ${
          stored
            ? html`<button type="button" @click=${() => void this.#remove(profile)}>${say.remove}</button>`
            : nothing
        }
      </div>
    </li>`;
  }

  async #test({ id }: Profile): Promise<void> {
    const made = await this.app.attempt(() => this.app.link.call("auth.test", { profileId: id }));
    if (!made) return;
    const cost = made.costUsd === undefined ? "" : fill(say.itCost, moneyText(made.costUsd));
    this.app.toasts.show(fill(say.answeredInMs, made.model, Math.round(made.ms), cost));
    document.dispatchEvent(new CustomEvent("elwood-credentials"));
  }

  async #prefer({ id }: Profile): Promise<void> {
    const made = await this.app.attempt(() => this.app.link.call("auth.prefer", { profileId: id }));
    if (made) document.dispatchEvent(new CustomEvent("elwood-credentials"));
  }

  async #remove({ id, provider }: Profile): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.remove2, id),
      text: fill(say.elwoodForgetsThisCredentialOfIt, provider),
      yes: say.removeIt,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("auth.remove", { profileId: id }));
    await Promise.all([this.#loader.load(), this.app.look()]);
  }
}

/** Of a short key no characters are shown, and none are promised. */
function keyText(type: string, hint: string): string {
  const kind = type === "token" ? say.token2 : say.keyOnly;
  return hint.replace("…", "") === "" ? kind : fill(say.endingIn, hint);
}

customElements.define("elwood-profile-list", ProfileList);
