import type { AttentionItem } from "@elwood/core/protocol/owner-shapes";
import { read, write } from "../gateway/tab-storage.ts";
import { type GatewayClient, RequestError } from "@elwood/sdk/client";
import { Store } from "@elwood/sdk/store";

const DISMISSED = "attention-dismissed";

/** What wants the owner, as the gateway tells it: asked for at each connection, and whenever it changed. */
export class AttentionList {
  /** Undefined as long as nobody has told; an older gateway never does. */
  readonly items = new Store<readonly AttentionItem[] | undefined>(undefined);
  /** What was put away for as long as this tab lives. */
  readonly dismissed = new Store<ReadonlySet<string>>(new Set(read(DISMISSED)?.split("\n")));
  /** The newest run of the conversation that is shown: how it failed stands there. */
  readonly runShown = new Store<string | undefined>(undefined);
  readonly #link: GatewayClient;

  constructor(link: GatewayClient) {
    this.#link = link;
    link.onReady(() => void this.refresh());
    link.onPush(({ event }) => {
      if (event === "attention.changed") void this.refresh();
    });
  }

  async refresh(): Promise<void> {
    if (!this.#link.has("attention.list")) return;
    try {
      this.items.set((await this.#link.call("attention.list", {})).items);
    } catch (error) {
      // The next change, or the next connection, asks again.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  dismiss(id: string): void {
    const ids = new Set(this.dismissed.value).add(id);
    write(DISMISSED, [...ids].join("\n"));
    this.dismissed.set(ids);
  }
}
