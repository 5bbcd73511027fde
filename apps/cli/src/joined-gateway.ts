import { GatewayClient } from "@elwood/sdk/client";
import type { Endpoint, Link } from "./connect.ts";

/** The gateway that this command has joined. When it dies or leaves, another one, perhaps our own, takes its place. */
export class JoinedGateway {
  readonly #join: () => Promise<Link>;
  #link: Promise<Link>;
  readonly #reconnectsMax: number;
  readonly #waitMs: (tries: number) => number;
  #reconnects = 0;

  constructor(
    join: () => Promise<Link>,
    link: Link,
    reconnectsMax: number,
    waitMs: (tries: number) => number = () => 0,
  ) {
    this.#join = join;
    this.#reconnectsMax = reconnectsMax;
    this.#waitMs = waitMs;
    this.#link = Promise.resolve(link);
  }

  client(interrupted: AbortSignal): GatewayClient {
    let isFirst = true;
    const client = new GatewayClient({
      open: async () => {
        if (!isFirst) this.#link = this.#joinNext(this.#link);
        isFirst = false;
        return (await this.#link).connection;
      },
      waitMs: (tries) =>
        interrupted.aborted || ++this.#reconnects > this.#reconnectsMax ? undefined : this.#waitMs(tries),
    });
    client.start();
    return client;
  }

  /** Of the gateway that is joined now. */
  async endpoint(): Promise<Endpoint> {
    return (await this.#link).endpoint;
  }

  /** Also the one that is being joined; where that fails, there is none to leave. */
  async leave(): Promise<void> {
    const [joined] = await Promise.allSettled([this.#link]);
    if (joined.status === "fulfilled") await joined.value.leave();
  }

  /** Where the one before could not be joined, there is nothing to leave. */
  async #joinNext(before: Promise<Link>): Promise<Link> {
    const [gone] = await Promise.allSettled([before]);
    if (gone.status === "fulfilled") await gone.value.leave();
    return this.#join();
  }
}
