import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { MethodResult } from "@elwood/core/protocol/results";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { countText, untilText } from "../../parts/format.ts";
import { textIn } from "../../parts/form-text.ts";
import { loadedView, timeAgo } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/connections.ts";
import { problemText } from "../../words/gateway.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Channel = MethodResult<"channels.list">["channels"][number];
type Person = MethodResult<"pairing.list">["people"][number];

interface Shown {
  readonly channels: readonly Channel[];
  readonly people: readonly Person[];
}

const STATES: Readonly<Record<Channel["state"], () => readonly [word: string, tone: string]>> = {
  off: () => [say.notConnected, "muted"],
  connecting: () => ["connecting", "warn"],
  connected: () => ["connected", "ok"],
  waiting: () => [say.triesAgain, "warn"],
  failed: () => ["failed", "bad"],
};

/** Where the token of each comes from, in a sentence. */
const TOKEN_HINTS: Readonly<Record<string, () => TemplateResult>> = {
  telegram: () =>
    html`${fillIn(say.writeToInTelegramItAnswers, html`<code>/newbot</code>`, html`<a href="https://t.me/BotFather" target="_blank" rel="noreferrer">@BotFather</a>`)}`,
  discord: () =>
    html`${fillIn(
      say.makeAnApplicationWithABot,
      html`<a href="https://discord.com/developers/applications" target="_blank" rel="noreferrer"
        >${say.developerPortal}</a
      >`,
      html`<code>elwood channels invite discord</code>`,
    )}`,
};

/** How channels are doing, and who asks to be let in, changes without a push. */
const LOOK_AGAIN_MS = 3_000;

/** Chat services: how each is doing, connecting one, and who was let in. */
export class ChannelList extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    opened: { state: true },
    busy: { state: true },
    problem: { state: true },
  };
  /** The channel whose form is open. */
  declare opened: string;
  declare busy: string;
  declare problem: string;
  readonly #loader = new Loader<Shown>(this, async () => {
    const [{ channels }, { people }] = await Promise.all([
      this.app.link.call("channels.list", {}),
      this.app.link.call("pairing.list", {}),
    ]);
    return { channels, people };
  });

  constructor() {
    super();
    this.opened = "";
    this.busy = "";
    this.problem = "";
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => {
      const isOn = this.#loader.value?.channels.some(({ state }) => state !== "off");
      if (isOn && !document.hidden) void this.#loader.load();
    }, LOOK_AGAIN_MS);
    return [this.app.link.onReady(() => void this.#loader.load()), () => window.clearInterval(timer)];
  }

  protected override render(): unknown {
    return loadedView(this.#loader.now, {
      isEmpty: ({ channels }) => channels.length === 0,
      empty: { icon: "plug", title: say.thereIsNoChatServiceTo },
      view: ({ channels, people }) =>
        html`<ul class="profiles">
            ${channels.map((channel) => this.#row(channel))}
          </ul>
          ${this.#people(channels, people)}`,
      retry: () => void this.#loader.load(),
    });
  }

  #row(channel: Channel): TemplateResult {
    const { name, title, state, account, problem, tokenFrom, approverIds } = channel;
    const [word, tone] = STATES[state]();
    const stored = tokenFrom === "secrets.env";
    return html`<li class="profile">
      <div>
        <p>
          <strong>${title}</strong>
          <span class="badge" data-tone=${tone}>${stateText(word)}</span>
        </p>
        ${problem === undefined ? nothing : html`<p class="line bad">${problem}</p>`}
        <p class="hint profile-facts">
          ${
            account === undefined
              ? nothing
              : account.link === undefined
                ? html`<span>${account.name}</span>`
                : html`<a href=${account.link} target="_blank" rel="noreferrer">${account.name}</a>`
          }
          ${tokenFrom === undefined ? nothing : html`<span>${fillIn(say.tokenFrom, tokenFrom)}</span>`}
          ${
            state === "off"
              ? nothing
              : html`<span
                  >${
                    approverIds.length === 0
                      ? say.nobodyMayApproveThereYet
                      : fill(say.mayApproveThere, countText(approverIds.length, say.account, say.accounts))
                  }</span
                >`
          }
        </p>
      </div>
      <div class="profile-buttons">
        ${
          state === "off"
            ? html`<button
                type="button"
                aria-expanded=${this.opened === name}
                @click=${() => this.#open(this.opened === name ? "" : name)}
              >
                ${fillIn(say.connect, title)}
              </button>`
            : html`<button
                  type="button"
                  ?disabled=${this.busy !== ""}
                  @click=${() => void this.#test(channel)}
                >
                  ${say.test}
                </button>
                ${
                  stored
                    ? html`<button
                        type="button"
                        ?disabled=${this.busy !== ""}
                        @click=${() => void this.#disconnect(channel)}
                      >
                        ${say.disconnect}
                      </button>`
                    : nothing
                }`
        }
      </div>
      ${this.opened === name ? this.#form(channel) : nothing}
    </li>`;
  }

  #form({ name, title }: Channel): TemplateResult {
    return html`<form class="channel-form" @submit=${(event: Event) => void this.#connect(event, name)}>
      <p class="hint">${TOKEN_HINTS[name]?.() ?? nothing}</p>
      <label for="channel-token">${fillIn(say.tokenOf, title)}</label>
      <input
        id="channel-token"
        name="token"
        type="password"
        required
        autocomplete="off"
        spellcheck="false"
        aria-describedby="channel-token-hint"
      />
      <p id="channel-token-hint" class="hint">${say.itIsTriedFirstThenStored}</p>
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <p class="settings-buttons">
        <button type="submit" class="primary" ?disabled=${this.busy !== ""}>
          ${this.busy === name ? say.tryingIt : say.connect2}
        </button>
        <button type="button" @click=${() => this.#open("")}>${say.cancel}</button>
      </p>
    </form>`;
  }

  #people(channels: readonly Channel[], people: readonly Person[]): unknown {
    if (channels.every(({ state }) => state === "off") && people.length === 0) return nothing;
    const now = this.app.link.now();
    return html`<h3 class="channel-people">${say.people}</h3>
      <p class="hint">
        ${fillIn(say.whoeverWritesToElwoodForThe, html`<code>elwood pair approve CODE</code>`)}
      </p>
      ${
        people.length === 0
          ? nothing
          : html`<ul class="profiles">
              ${people.map(
                (person) =>
                  html`<li class="profile">
                    <div>
                      <p>
                        <strong>${person.name}</strong> <code>${person.senderId}</code>
                        <span class="badge" data-tone=${person.state === "paired" ? "ok" : "warn"}
                          >${person.state === "paired" ? say.mayChat : say.hasACode}</span
                        >
                      </p>
                      <p class="hint profile-facts">
                        <span>${titleOf(channels, person.channel)}</span>
                        <span>${timeAgo(person.at)}</span>
                        ${
                          person.expiresAt === undefined
                            ? nothing
                            : html`<span
                                >${fillIn(say.theCodeExpires, untilText(person.expiresAt, now))}</span
                              >`
                        }
                      </p>
                    </div>
                    <div class="profile-buttons">
                      <button type="button" @click=${() => void this.#removePerson(person)}>
                        ${say.remove}
                      </button>
                    </div>
                  </li>`,
              )}
            </ul>`
      }`;
  }

  #open(name: string): void {
    this.opened = name;
    this.problem = "";
    if (name !== "")
      void this.updateComplete.then(() => this.querySelector<HTMLElement>("#channel-token")?.focus());
  }

  async #connect(event: Event, name: string): Promise<void> {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const token = textIn(new FormData(event.target), "token");
    this.busy = name;
    this.problem = "";
    try {
      const { channel } = await this.app.link.call("channels.connect", { name, token });
      this.opened = "";
      const who = channel.account === undefined ? "" : fill(say.as, channel.account.name);
      this.app.toasts.show(fill(say.isConnectedWriteToItIt, channel.title, who));
    } catch (error) {
      this.problem = problemText(error);
    } finally {
      this.busy = "";
      await this.#loader.load();
    }
  }

  async #test({ name, title }: Channel): Promise<void> {
    const tested = await this.app.attempt(() => this.app.link.call("channels.test", { name }));
    if (!tested) return;
    const notes = (tested.notes ?? []).join(" ");
    if (tested.ok) this.app.toasts.show(fill(say.answersItIs, title, tested.account?.name ?? "there", notes));
    else this.app.toasts.show(tested.problem ?? fill(say.doesNotAnswer, title), { tone: "bad" });
  }

  async #disconnect({ name, title }: Channel): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.disconnect2, title),
      text: say.elwoodNoLongerListensThereAnd,
      yes: say.disconnect,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("channels.disconnect", { name }));
    await this.#loader.load();
  }

  async #removePerson({ channel, senderId, name }: Person): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.remove2, name),
      text: say.whatTheyWriteIsNoLonger,
      yes: say.removeThem,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("pairing.remove", { channel, senderId }));
    await this.#loader.load();
  }
}

function titleOf(channels: readonly Channel[], name: string): string {
  return channels.find((channel) => channel.name === name)?.title ?? name;
}

customElements.define("elwood-channel-list", ChannelList);
