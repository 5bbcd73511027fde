import type { MethodResult } from "@elwood/core/protocol/results";
import type { AppContext } from "../../app/context.ts";
import { RequestError } from "@elwood/sdk/client";
import { read, write } from "../../gateway/tab-storage.ts";
import { spokenText } from "../../parts/markdown/spoken-text.ts";
import { Store } from "@elwood/sdk/store";
import type { Conversation } from "@elwood/sdk/view-state/conversation";
import { say } from "../../words/en/chat.ts";
import { fill } from "../../words/fill.ts";
import { problemText } from "../../words/gateway.ts";

export type Provider = MethodResult<"models.list">["providers"][number];

/**
 * Which model is asked in which session. A choice is this tab's own, outlives a reload, and
 * goes along with each message from then on; what really answered stands under the reply.
 */
export class ModelChoice {
  /** Rises with each choice, and when more is known. */
  readonly changed = new Store(0);
  /** Those that could be asked when somebody last looked; undefined as long as nobody has. */
  providers: readonly Provider[] | undefined;
  /** Why they could not be had. */
  problem: string | undefined;
  readonly #app: AppContext;
  /** Chosen since the page was loaded, whether this browser keeps it or not. */
  readonly #chosen = new Map<string, string | undefined>();
  #agents: MethodResult<"agents.list">["agents"] = [];

  constructor(app: AppContext) {
    this.#app = app;
    let last: string | undefined;
    app.status.subscribe((status) => {
      if (status?.model === last) return;
      last = status?.model;
      void this.#lookAtAgents();
    });
  }

  of(sessionKey: string): string | undefined {
    return this.#chosen.has(sessionKey) ? this.#chosen.get(sessionKey) : read(nameOf(sessionKey));
  }

  choose(sessionKey: string, model: string | undefined): void {
    this.#chosen.set(sessionKey, model);
    write(nameOf(sessionKey), model);
    this.#touch();
  }

  /** The session got its real name, or a branch. */
  hand(from: string, to: string): void {
    this.choose(to, this.of(from));
  }

  /** What answers where nothing is chosen; an agent may have a model of its own. */
  usual({ session }: Conversation): string | undefined {
    const id = session.value?.agentId;
    const agent = id === undefined ? this.#agents[0] : this.#agents.find((each) => each.id === id);
    return agent?.model ?? this.#app.status.value?.model;
  }

  windowOf(model: string | undefined): number | undefined {
    return this.providers?.flatMap(({ models }) => models).find((each) => each.model === model)
      ?.contextTokens;
  }

  /** Why the choice cannot be asked now, as far as this tab knows. */
  refusal(sessionKey: string): string | undefined {
    const model = this.of(sessionKey);
    if (model === undefined || !this.providers || model.startsWith("demo/")) return undefined;
    const provider = model.slice(0, model.indexOf("/"));
    if (this.providers.some((each) => each.provider === provider)) return undefined;
    return fill(say.isNotConnectedNothingWasSent, spokenText(model));
  }

  async look(): Promise<void> {
    const { link } = this.#app;
    if (!link.has("models.list")) return;
    try {
      this.providers = (await link.call("models.list", {})).providers;
      this.problem = undefined;
    } catch (error) {
      this.problem = problemText(error);
    }
    this.#touch();
  }

  async #lookAtAgents(): Promise<void> {
    try {
      this.#agents = (await this.#app.link.call("agents.list", {})).agents;
      this.#touch();
    } catch (error) {
      // Then the gateway's own model is named, which is nearly always the same.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  #touch(): void {
    this.changed.update((n) => n + 1);
  }
}

/** As people call it: without its provider. The names are their providers' words. */
export function modelName(model: string): string {
  return model.startsWith("demo/") ? say.demoModel2 : spokenText(model.slice(model.indexOf("/") + 1));
}

function nameOf(sessionKey: string): string {
  return `model.${sessionKey}`;
}
