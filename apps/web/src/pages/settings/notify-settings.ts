import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { icon } from "../../parts/icon.ts";
import { loadedView, notPermitted } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { say } from "../../words/en/settings.ts";
import { fillIn } from "../../words/fill.ts";

type Status = MethodResult<"notify.status">;

/** Where the owner is told that something waits, and whether this browser is among those that are woken. */
export class NotifySettings extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    subscribed: { state: true },
    problem: { state: true },
    busy: { state: true },
    tested: { state: true },
  };
  /** Undefined until the browser has said so. */
  declare subscribed: PushSubscription | null | undefined;
  declare problem: string;
  declare busy: boolean;
  declare tested: MethodResult<"notify.test">["results"];
  readonly #status = new Loader<Status>(this, () => this.app.link.call("notify.status", {}));

  constructor() {
    super();
    this.problem = "";
    this.busy = false;
    this.tested = [];
  }

  protected override entered(): readonly (() => void)[] {
    void this.#look();
    return [this.app.link.onReady(() => void this.#status.load())];
  }

  protected override render(): unknown {
    if (!this.app.link.may("approve")) return notPermitted(this.app, "approve", say.beToldWhatWaits);
    return loadedView(this.#status.now, {
      isEmpty: () => false,
      empty: { icon: "gear", title: say.nothingIsSet },
      view: (status) => this.#view(status),
      retry: () => void this.#status.load(),
    });
  }

  #view({ targets, quietHours }: Status): TemplateResult {
    const woken = targets.includes("page");
    return html`<p class="hint">
        ${say.whenSomethingWaitsForYouAnd}
        ${
          quietHours === undefined
            ? html`${fillIn(say.toHaveQuietHoursSet, say.quietHours)}`
            : html`${fillIn(say.nothingRingsInYourQuietHours, quietHours)}`
        }
        ${woken ? nothing : html`${fillIn(say.browsersAreNotToldHasNo, html`<code>notify.targets</code>`, html`<code>page</code>`)}`}
      </p>
      ${woken ? this.#browser() : nothing}
      <p class="settings-buttons">
        <button type="button" ?disabled=${this.busy} @click=${() => void this.#do(() => this.#test())}>
          ${say.sendATest}
        </button>
      </p>
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <div role="status">
        <ul class="notify-results">
          ${this.tested.map(
            ({ target, ok, problem }) =>
              html`<li>
                <code>${target}</code>
                ${ok ? say.wasTold : html`${fillIn(say.couldNotBeTold, problem ?? "unknown")}`}
              </li>`,
          )}
        </ul>
      </div>`;
  }

  #browser(): unknown {
    const unable = unableReason();
    if (unable !== undefined) return html`<p class="hint">${unable}</p>`;
    if (this.subscribed === undefined) return nothing;
    return html`<p class="settings-buttons">
      ${
        this.subscribed === null
          ? html`<button
              type="button"
              ?disabled=${this.busy}
              @click=${() => void this.#do(() => this.#subscribe())}
            >
              ${icon("spark", 16)}${say.tellMeInThisBrowser}
            </button>`
          : html`<button
              type="button"
              ?disabled=${this.busy}
              @click=${() => void this.#do(() => this.#unsubscribe())}
            >
              ${say.stopTellingMeInThisBrowser}
            </button>`
      }
    </p>`;
  }

  async #look(): Promise<void> {
    if (unableReason() !== undefined) return;
    const registration = await navigator.serviceWorker.ready;
    this.subscribed = await registration.pushManager.getSubscription();
  }

  async #subscribe(): Promise<void> {
    const permission = await Notification.requestPermission();
    if (permission !== "granted") {
      this.problem = say.thisBrowserDoesNotLetElwood;
      return;
    }
    const key = this.#status.value?.publicKey;
    if (key === undefined) return;
    const registration = await navigator.serviceWorker.ready;
    const made = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: bytesOf(key),
    });
    const { endpoint, keys } = made.toJSON();
    await this.app.link.call("notify.subscribe", {
      endpoint: endpoint ?? "",
      keys: { p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" },
    });
    this.subscribed = made;
  }

  async #unsubscribe(): Promise<void> {
    const { subscribed } = this;
    if (!subscribed) return;
    await subscribed.unsubscribe();
    this.subscribed = null;
    await this.app.link.call("notify.unsubscribe", { endpoint: subscribed.endpoint });
  }

  async #test(): Promise<void> {
    this.tested = (await this.app.link.call("notify.test", {})).results;
  }

  async #do(work: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.problem = "";
    try {
      await work();
    } catch (error) {
      this.problem = error instanceof Error ? error.message : say.thatDidNotWork;
    } finally {
      this.busy = false;
    }
  }
}

/** Why this browser cannot be woken; undefined where it can. */
function unableReason(): string | undefined {
  if (!isSecureContext) return say.thisBrowserCanBeToldOnly;
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis))
    return say.thisBrowserCannotBeWokenBy;
  return undefined;
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

customElements.define("elwood-notify-settings", NotifySettings);
