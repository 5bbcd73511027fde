import type { MethodResult } from "@elwood/core/protocol/results";
import { RequestError } from "@elwood/sdk/client";
import { Store } from "@elwood/sdk/store";
import type { AppContext } from "../../app/context.ts";
import { confirmDialog } from "../../parts/dialog.ts";
import { say } from "../../words/en/settings.ts";
import { fill } from "../../words/fill.ts";
import { failureText } from "../../words/gateway.ts";

export type Settings = MethodResult<"settings.get">;
export type Setting = Settings["settings"][number];
type Models = MethodResult<"models.list">["providers"];

/** The settings as every part of the page shows them, and the one way in which it changes them. */
export class SettingsState {
  readonly all = new Store<Settings | undefined>(undefined);
  readonly models = new Store<Models | undefined>(undefined);
  readonly problem = new Store<string | undefined>(undefined);
  readonly #app: AppContext;

  constructor(app: AppContext) {
    this.#app = app;
  }

  of(key: string): Setting | undefined {
    return this.all.value?.settings.find((each) => each.key === key);
  }

  async load(): Promise<void> {
    const { link } = this.#app;
    if (!link.has("settings.get") || !link.may("admin")) return;
    try {
      this.all.set(await link.call("settings.get", {}));
      this.problem.set(undefined);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (!error.lost) this.problem.set(failureText(error.failure));
    }
  }

  /** The models that connected providers and servers list. */
  async loadModels(): Promise<void> {
    const found = await this.#app.attempt(() => this.#app.link.call("models.list", {}));
    if (found) this.models.set(found.providers);
  }

  /**
   * Changes a setting from what is shown. What lets more happen is asked about first. Undefined where it was
   * changed, or why it was not; empty where its owner thought better of it.
   */
  async set(setting: Setting, value: unknown, words: string): Promise<string | undefined> {
    const { key, value: expected } = setting;
    const { link } = this.#app;
    try {
      await confirmed(words, (confirm) => link.call("settings.set", { key, value, expected, ...confirm }));
      await Promise.all([this.load(), this.#app.look()]);
      return undefined;
    } catch (error) {
      if (error instanceof Withdrawn) return "";
      if (!(error instanceof RequestError)) throw error;
      // Somebody else was faster, or the file is another one: what is there now is shown.
      await this.load();
      return error.lost ? say.notChangedElwoodCannotBeReached : error.message;
    }
  }
}

class Withdrawn extends Error {}

/** Sends a change; where it would let more happen, asks first and sends it again. */
export async function confirmed<T>(
  words: string,
  send: (confirm: { readonly confirm?: true }) => Promise<T>,
): Promise<T> {
  try {
    return await send({});
  } catch (error) {
    if (!(error instanceof RequestError) || !error.message.includes("confirm: true")) throw error;
    const sure = await confirmDialog({
      title: say.allowMore,
      text: fill(say.elwoodWillBeAbleToDo, words),
      yes: say.yesChangeIt,
    });
    if (!sure) throw new Withdrawn();
    return send({ confirm: true });
  }
}

/** For what is told in a toast: undefined where it failed or was withdrawn. */
export async function attemptConfirmed<T>(
  app: AppContext,
  words: string,
  send: (confirm: { readonly confirm?: true }) => Promise<T>,
): Promise<T | undefined> {
  return app.attempt(async () => {
    try {
      return await confirmed(words, send);
    } catch (error) {
      if (error instanceof Withdrawn) return undefined;
      throw error;
    }
  });
}
