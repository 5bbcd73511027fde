import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { LABEL_WORDS, TOOL_LABELS } from "@elwood/core/tool/tool-label";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { quoteLines } from "@elwood/sdk/view-state/quoted-lines";
import { AppElement } from "../../app/app-element.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { countText } from "../../parts/format.ts";
import { textIn } from "../../parts/form-text.ts";
import { copyButton, loadedView } from "../../parts/small.ts";
import { Loader } from "../../state/loader.ts";
import { stateText } from "../../words/states.ts";
import { say } from "../../words/en/connections.ts";
import { gatewayText, problemText } from "../../words/gateway.ts";
import { fill, fillIn } from "../../words/fill.ts";

type Server = MethodResult<"mcp.list">["servers"][number];
type Tool = MethodResult<"tools.list">["tools"][number];
type Prompt = MethodResult<"mcp.prompts">["prompts"][number];

interface Shown {
  readonly servers: readonly Server[];
  readonly tools: readonly Tool[];
}

/** What is open below a server. */
interface Opened {
  readonly name: string;
  readonly part: "tools" | "offers" | "log";
}

interface Offers {
  readonly resources: MethodResult<"mcp.resources">["resources"];
  readonly prompts: readonly Prompt[];
}

const STATES: Readonly<Record<Server["state"], () => readonly [word: string, tone: string]>> = {
  idle: () => ["ready", "ok"],
  starting: () => ["starting", "warn"],
  running: () => ["running", "ok"],
  down: () => [say.crashedStartsAgain, "warn"],
  stopped: () => [say.crashedTooOften, "bad"],
  off: () => ["off", "bad"],
};

const LOG_LINES = 100;
/** How servers are doing changes without a push. */
const LOOK_AGAIN_MS = 5_000;

/** MCP servers: adding one with a live test, what each of its tools may do, its log, and removing it. */
export class McpList extends AppElement {
  static override properties: PropertyDeclarations = {
    ...AppElement.properties,
    adding: { state: true },
    opened: { state: true },
    busy: { state: true },
    problem: { state: true },
    lines: { state: true },
    offers: { state: true },
  };
  declare adding: boolean;
  declare opened: Opened | undefined;
  declare busy: string;
  declare problem: string;
  declare lines: readonly string[];
  declare offers: Offers | undefined;
  readonly #loader = new Loader<Shown>(this, async () => {
    const [{ servers }, { tools }] = await Promise.all([
      this.app.link.call("mcp.list", {}),
      this.app.link.call("tools.list", {}),
    ]);
    return { servers, tools: tools.filter(({ source }) => source === "mcp") };
  });

  constructor() {
    super();
    this.adding = false;
    this.opened = undefined;
    this.busy = "";
    this.problem = "";
    this.lines = [];
    this.offers = undefined;
  }

  protected override entered(): readonly (() => void)[] {
    const timer = window.setInterval(() => {
      const moves = this.#loader.value?.servers.some(
        ({ state, login }) => state === "starting" || state === "down" || login === "needed",
      );
      if (moves && !document.hidden) void this.#loader.load();
    }, LOOK_AGAIN_MS);
    const look = () => void this.#openAsked();
    look();
    return [
      this.app.link.onReady(() => void this.#loader.load()),
      this.app.router.route.subscribe(look),
      () => window.clearInterval(timer),
    ];
  }

  /** Whoever chose a prompt by its name finds its form before them. */
  async #openAsked(): Promise<void> {
    const { query } = this.app.router.route.value;
    const name = query.get("offers");
    if (name === null) return;
    await this.#open({ name, part: "offers" });
    await this.#loader.load();
    await this.updateComplete;
    const form = `form[aria-label="${CSS.escape(String(query.get("prompt")))}"]`;
    this.querySelector<HTMLElement>(`${form} :is(input, button)`)?.focus();
  }

  protected override render(): unknown {
    return html`${loadedView(this.#loader.now, {
      isEmpty: ({ servers }) => servers.length === 0,
      empty: {
        icon: "plug",
        title: say.noMcpServersYet,
        text: say.theyBringMoreTools,
      },
      view: ({ servers, tools }) =>
        html`<ul class="profiles">
          ${servers.map((server) => this.#row(server, tools))}
        </ul>`,
      retry: () => void this.#loader.load(),
    })}
    ${this.#adding()}`;
  }

  #row(server: Server, tools: readonly Tool[]): TemplateResult {
    const { name, state, problem, where, caged, transport, login } = server;
    const [word, tone] = login === "needed" ? [say.wantsALogin, "warn"] : STATES[state]();
    const own = tools.filter(({ toolId }) => server.tools?.some((each) => each.toolId === toolId));
    return html`<li class="profile">
      <div>
        <p>
          <strong>${name}</strong>
          <span class="badge" data-tone=${tone}>${stateText(word)}</span>
        </p>
        ${problem === undefined ? nothing : html`<p class="line bad">${problem}</p>`}
        <p class="hint profile-facts">
          <span><code>${where}</code></span>
          ${server.tools ? html`<span>${countText(server.tools.length, say.tool, say.tools2)}</span>` : nothing}
          ${caged === undefined || transport !== "stdio" ? nothing : html`<span>${caged ? say.inACage : say.notCagedItCanDoWhat}</span>`}
          ${server.protocol === undefined ? nothing : html`<span>${fillIn(say.mcp, server.protocol)}</span>`}
        </p>
      </div>
      <div class="profile-buttons">
        ${
          login === "needed"
            ? html`<button type="button" @click=${() => void this.#logIn(name)}>${say.logIn}</button>`
            : nothing
        }
        ${
          state === "off"
            ? nothing
            : html`<button type="button" ?disabled=${this.busy !== ""} @click=${() => void this.#test(name)}>
                  ${this.busy === name ? say.testing : say.test}
                </button>
                ${this.#toggle(name, "tools", say.tools)} ${this.#toggle(name, "offers", say.more)}
                ${this.#toggle(name, "log", say.log)}`
        }
        <button type="button" @click=${() => void this.#remove(name)}>${say.remove}</button>
      </div>
      ${this.opened?.name === name ? this.#below(this.opened.part, own) : nothing}
    </li>`;
  }

  #toggle(name: string, part: Opened["part"], words: string): TemplateResult {
    const isOpen = this.opened?.name === name && this.opened.part === part;
    return html`<button
      type="button"
      aria-expanded=${isOpen}
      @click=${() => void this.#open(isOpen ? undefined : { name, part })}
    >
      ${words}
    </button>`;
  }

  #below(part: Opened["part"], tools: readonly Tool[]): TemplateResult {
    if (part === "log")
      return html`<pre class="code mcp-below" tabindex="0" aria-label=${say.log}>
${this.lines.length === 0 ? say.nothingSinceTheGatewayWasStarted : this.lines.join("\n")}</pre>`;
    if (part === "offers") return this.#offers();
    return html`<div class="mcp-below">
      <p class="hint">${say.untilYouSayWhatATool}</p>
      <ul class="mcp-tools">
        ${tools.map((tool) => this.#tool(tool))}
      </ul>
    </div>`;
  }

  #tool({ toolId, label, labelling, standing }: Tool): TemplateResult {
    const suggested = labelling?.suggested;
    const choose = async (event: Event) => {
      if (!(event.target instanceof HTMLSelectElement)) return;
      const { value } = event.target;
      const chosen = TOOL_LABELS.find((each) => each === value) ?? null;
      await this.app.attempt(async () => {
        const { tool } = await this.app.link.call("tools.get", { toolId });
        await this.app.link.call("mcp.label", { toolId, contractHash: tool.contractHash, label: chosen });
      });
      await this.#loader.load();
    };
    return html`<li>
      <a href="/tools/${encodeURIComponent(toolId)}">${toolId}</a>
      ${standing === "changed" ? html`<span class="badge" data-tone="warn">${say.changed}</span>` : nothing}
      <select
        aria-label=${fill(say.whatDoes, toolId)}
        ?disabled=${!this.app.link.may("approve")}
        @change=${choose}
      >
        <option value="" ?selected=${label === undefined}>${say.asksForEveryCall}</option>
        ${TOOL_LABELS.map(
          (each) =>
            html`<option value=${each} ?selected=${label === each}>
              ${gatewayText(LABEL_WORDS[each].word)}:
              ${gatewayText(LABEL_WORDS[each].means)}${each === suggested ? say.suggested : ""}
            </option>`,
        )}
      </select>
    </li>`;
  }

  #offers(): TemplateResult {
    if (!this.offers) return html`<p class="hint mcp-below">${say.looking}</p>`;
    const { resources, prompts } = this.offers;
    const name = this.opened?.name ?? "";
    if (resources.length + prompts.length === 0)
      return html`<p class="hint mcp-below">${say.itOffersNothingBesidesTools}</p>`;
    return html`<div class="mcp-below">
      ${
        resources.length === 0
          ? nothing
          : html`<h3>${say.resources}</h3>
              <p class="hint">${say.nameOneInAMessageAnd}</p>
              <ul class="mcp-tools">
                ${resources.map(
                  ({ uri, name: title, description }) =>
                    html`<li>
                      <span>${title} <span class="hint">${description}</span></span>
                      <code>@${name}:${uri}</code> ${copyButton(`@${name}:${uri}`, say.copy)}
                    </li>`,
                )}
              </ul>`
      }
      ${prompts.map((prompt) => this.#prompt(prompt))}
    </div>`;
  }

  #prompt(prompt: Prompt): TemplateResult {
    const fill = async (event: Event) => {
      event.preventDefault();
      if (!(event.target instanceof HTMLFormElement)) return;
      const data = new FormData(event.target);
      const given = Object.fromEntries(
        [...data.keys()].map((key) => [key, textIn(data, key)] as const).filter(([, text]) => text),
      );
      const made = await this.app.attempt(() =>
        this.app.link.call("mcp.prompt", { name: prompt.server, prompt: prompt.name, arguments: given }),
      );
      if (!made) return;
      this.app.prepared = `${quoteLines(made.part.text)}\n\n`;
      this.app.router.go("/c/new");
    };
    return html`<form class="mcp-prompt" aria-label=${prompt.name} @submit=${fill}>
      <h3>${prompt.name}</h3>
      <p class="hint">${prompt.description}</p>
      ${prompt.arguments.map(
        ({ name, required, description }) =>
          html`<label
            >${name} <span class="hint">${description}</span>
            <input name=${name} type="text" ?required=${required} autocomplete="off"
          /></label>`,
      )}
      <button type="submit">${say.putItIntoAMessage}</button>
    </form>`;
  }

  #adding(): TemplateResult {
    if (!this.adding)
      return html`<p class="settings-buttons mcp-form">
        <button
          type="button"
          ?disabled=${!this.app.link.may("approve")}
          @click=${() => {
            this.adding = true;
            this.problem = "";
            void this.updateComplete.then(() => this.querySelector<HTMLElement>("#mcp-name")?.focus());
          }}
        >
          ${say.addAnMcpServer}
        </button>
      </p>`;
    return html`<form class="channel-form card mcp-form" @submit=${(event: Event) => void this.#add(event)}>
      <label for="mcp-name">${say.name}</label>
      <input
        id="mcp-name"
        name="name"
        type="text"
        required
        maxlength="64"
        autocomplete="off"
        spellcheck="false"
      />
      <label for="mcp-where">${say.addressOrCommandOnTheGateways}</label>
      <input
        id="mcp-where"
        name="where"
        type="text"
        required
        autocomplete="off"
        spellcheck="false"
        placeholder=${say.httpsMcpExampleComMcp}
        aria-describedby="mcp-where-hint"
      />
      <p id="mcp-where-hint" class="hint">
        ${fillIn(say.aCommandRunsWithYourRights, html`<code>npx -y server@1.2.3</code>`)}
      </p>
      <label for="mcp-token">${say.tokenIfYouWereGivenOne}</label>
      <input
        id="mcp-token"
        name="token"
        type="password"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="mcp-token-hint"
      />
      <p id="mcp-token-hint" class="hint">${say.forAnAddressOnlyItIs}</p>
      <label for="mcp-folder">${say.folderThatACommandMayChange}</label>
      <input id="mcp-folder" name="folder" type="text" autocomplete="off" spellcheck="false" />
      ${this.problem === "" ? nothing : html`<p class="line bad" role="alert">${this.problem}</p>`}
      <p class="settings-buttons">
        <button type="submit" class="primary" ?disabled=${this.busy !== ""}>
          ${this.busy === "add" ? say.startingIt : say.addAndTest}
        </button>
        <button type="button" @click=${() => (this.adding = false)}>${say.cancel}</button>
      </p>
    </form>`;
  }

  async #add(event: Event): Promise<void> {
    event.preventDefault();
    if (!(event.target instanceof HTMLFormElement)) return;
    const params = addedServer(new FormData(event.target));
    this.busy = "add";
    this.problem = "";
    try {
      const { server, problem } = await this.app.link.call("mcp.add", params);
      this.adding = false;
      if (problem === undefined) {
        this.app.toasts.show(
          fill(say.answersWith, server.name, countText(server.tools?.length ?? 0, say.tool, say.tools2)),
        );
        this.opened = { name: server.name, part: "tools" };
      } else this.app.toasts.show(fill(say.itWasAddedBut, problem), { tone: "bad" });
    } catch (error) {
      this.problem = problemText(error);
    } finally {
      this.busy = "";
      await this.#loader.load();
    }
  }

  async #open(opened: Opened | undefined): Promise<void> {
    this.opened = opened;
    this.lines = [];
    this.offers = undefined;
    if (opened?.part === "log") {
      const { name } = opened;
      const read = await this.app.attempt(() => this.app.link.call("mcp.logs", { name, limit: LOG_LINES }));
      this.lines = read?.lines ?? [];
    }
    if (opened?.part === "offers") {
      const { name } = opened;
      const found = await this.app.attempt(() =>
        Promise.all([
          this.app.link.call("mcp.resources", { name }),
          this.app.link.call("mcp.prompts", { name }),
        ]),
      );
      const [{ resources }, { prompts }] = found ?? [{ resources: [] }, { prompts: [] }];
      if (this.opened === opened) this.offers = { resources, prompts };
    }
  }

  async #test(name: string): Promise<void> {
    this.busy = name;
    const tested = await this.app.attempt(() => this.app.link.call("mcp.test", { name }));
    this.busy = "";
    if (tested) {
      const { server } = tested;
      this.app.toasts.show(
        fill(say.answersWith, name, countText(server.tools?.length ?? 0, say.tool, say.tools2)),
      );
    }
    await this.#loader.load();
  }

  async #logIn(name: string): Promise<void> {
    const begun = await this.app.attempt(() => this.app.link.call("mcp.login", { name }));
    const url = begun?.url;
    if (url === undefined) return;
    const sure = await confirmDialog({
      title: fill(say.logInTo, name),
      text: fill(say.aPageOfOpensAndComes, new URL(url).host),
      yes: say.openThePage,
    });
    if (sure) window.open(url, "_blank", "noopener,noreferrer");
  }

  async #remove(name: string): Promise<void> {
    const sure = await confirmDialog({
      title: fill(say.remove2, name),
      text: say.itIsTakenOutOfThe,
      yes: say.removeIt,
      danger: true,
    });
    if (!sure) return;
    await this.app.attempt(() => this.app.link.call("mcp.remove", { name }));
    await this.#loader.load();
  }
}

/** An address is told from a command by how it begins. */
export function addedServer(data: FormData): MethodParams<"mcp.add"> {
  const [name, where] = [textIn(data, "name"), textIn(data, "where")];
  const [token, folder] = [textIn(data, "token"), textIn(data, "folder")];
  if (/^https?:\/\//i.test(where))
    return { name, url: where, ...(token === "" ? {} : { headers: { Authorization: `Bearer ${token}` } }) };
  const [command = "", ...args] = wordsOf(where);
  return {
    name,
    command,
    ...(args.length > 0 ? { args } : {}),
    ...(folder === "" ? {} : { folders: [{ path: folder, write: true }] }),
  };
}

/** Words of a command; one in quotes may hold spaces. Nothing in it is expanded. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
}

customElements.define("elwood-mcp-list", McpList);
