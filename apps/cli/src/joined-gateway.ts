import { GatewayClient } from "@elwood/sdk/client";
import type { Link } from "./connect.ts";

/** The gateway that this command has joined. When it dies or leaves, another one, perhaps our own, takes its place. */
export class JoinedGateway {
  readonly #join: () => Promise<Link>;
  #link: Promise<Link>;
  readonly #reconnectsMax: number;
  #reconnects = 0;

  constructor(join: () => Promise<Link>, link: Link, reconnectsMax: number) {
    this.#join = join;
    this.#reconnectsMax = reconnectsMax;
    this.#link = Promise.resolve(link);
  }

  client(interrupted: AbortSignal): GatewayClient {
    let isFirst = true;
    const client = new GatewayClient({
      open: async () => {
        if (!isFirst) this.#link = this.#joinNext(await this.#link);
        isFirst = false;
        return (await this.#link).connection;
      },
      waitMs: () => (interrupted.aborted || ++this.#reconnects > this.#reconnectsMax ? undefined : 0),
    });
    client.start();
    return client;
  }

  /** Also the one that is being joined; where that fails, there is none to leave. */
  async leave(): Promise<void> {
    const [joined] = await Promise.allSettled([this.#link]);
    if (joined.status === "fulfilled") await joined.value.leave();
  }

  async #joinNext(gone: Link): Promise<Link> {
    await gone.leave();
    return this.#join();
  }
}
