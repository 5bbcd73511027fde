import { html, nothing, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { countText, dateText, untilText } from "../../parts/format.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/approvals.ts";
import { fillIn } from "../../words/fill.ts";
import { gatewayText } from "../../words/gateway.ts";

type Grant = MethodResult<"grants.list">["grants"][number];

/** What may run without asking, in whole sentences, each with a way to end it. */
export class GrantList extends AppElement {
  readonly #loader = new Loader(this, async () => (await this.app.link.call("grants.list", {})).grants);

  protected override entered(): readonly (() => void)[] {
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.waiting.all.subscribe(() => void this.#loader.load()),
    ];
  }

  protected override render(): unknown {
    const now = this.app.link.now();
    const live = (grant: Grant) => isLive(grant, now);
    return loadedView(this.#loader.now, {
      isEmpty: (grants) => grants.filter(live).length === 0,
      empty: {
        icon: "key",
        title: say.noPermissions,
        text: say.theArrowBesideAllowOnAn,
      },
      view: (grants) =>
        html`<ul class="grants">
          ${grants.filter(live).map((grant) => this.#grant(grant))}
        </ul>`,
      retry: () => void this.#loader.load(),
    });
  }

  #grant(grant: Grant): TemplateResult {
    const { words, toolId, createdAt, expiresAt, uses, sessionKey } = grant;
    return html`<li class="card grant">
      <div>
        <p title=${toolId}>${gatewayText(words)}</p>
        <p class="hint grant-facts">
          <span>${fillIn(say.given, timeAgo(createdAt))}</span>
          ${
            expiresAt === undefined
              ? nothing
              : html`<span title=${dateText(expiresAt)}
                  >${fillIn(say.ends, untilText(expiresAt, this.app.link.now()))}</span
                >`
          }
          <span>${fillIn(say.used, countText(uses, say.time, say.times))}</span>
          ${
            sessionKey === undefined
              ? nothing
              : html`<a href="/c/${encodeURIComponent(sessionKey)}">${say.onlyInThisConversation}</a>`
          }
        </p>
      </div>
      ${
        this.app.link.may("approve")
          ? html`<button type="button" @click=${() => void this.#revoke(grant)}>${say.revoke}</button>`
          : nothing
      }
    </li>`;
  }

  async #revoke({ grantId }: Grant): Promise<void> {
    const done = await this.app.attempt(() => this.app.link.call("grants.revoke", { grantId }));
    if (!done) return;
    this.app.toasts.show(say.revokedCallsOfThatKindAsk);
    await this.#loader.load();
  }
}

function isLive({ revokedAt, expiresAt }: Grant, now: number): boolean {
  return revokedAt === undefined && (expiresAt === undefined || expiresAt > now);
}

customElements.define("elwood-grant-list", GrantList);
