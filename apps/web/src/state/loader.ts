import type { ReactiveController, ReactiveControllerHost } from "lit";
import { RequestError } from "@elwood/sdk/client";
import { failureText } from "../words/gateway.ts";

/** Nothing is drawn for waits that nobody notices. */
const SKELETON_AFTER_MS = 150;

export type Loaded<T> =
  | { readonly state: "waiting" }
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T; readonly refreshing: boolean }
  /** `missing`: there is no such thing, and asking again will not bring it. */
  | { readonly state: "failed"; readonly message: string; readonly missing: boolean };

/**
 * Something of the gateway's that an element shows.
 *
 * D1 The last request wins: an answer that was overtaken changes nothing.
 * D2 What is shown stays while it is asked for anew, and stays when that fails for want of
 *    a connection.
 */
export class Loader<T> implements ReactiveController {
  readonly #host: ReactiveControllerHost;
  readonly #ask: () => Promise<T>;
  #now: Loaded<T> = { state: "waiting" };
  #round = 0;

  constructor(host: ReactiveControllerHost, ask: () => Promise<T>) {
    this.#host = host;
    this.#ask = ask;
    host.addController(this);
  }

  get now(): Loaded<T> {
    return this.#now;
  }

  get value(): T | undefined {
    return this.#now.state === "ready" ? this.#now.value : undefined;
  }

  /** Something else is to be shown from now on: what was there goes. */
  clear(): void {
    this.#round++;
    this.#set({ state: "waiting" });
  }

  /** Puts a value there without asking, such as one that was pushed. */
  put(value: T): void {
    this.#set({ state: "ready", value, refreshing: false });
  }

  async load(): Promise<void> {
    const round = ++this.#round;
    const before = this.#now;
    if (before.state === "ready") this.#set({ ...before, refreshing: true });
    else {
      window.setTimeout(() => {
        if (round === this.#round && this.#now === before) this.#set({ state: "loading" });
      }, SKELETON_AFTER_MS);
    }
    try {
      const value = await this.#ask();
      if (round === this.#round) this.#set({ state: "ready", value, refreshing: false });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (round !== this.#round) return;
      // Asked again by whoever owns it, as soon as the connection is back.
      if (error.lost)
        this.#set(before.state === "ready" ? { ...before, refreshing: false } : { state: "waiting" });
      else
        this.#set({
          state: "failed",
          message: failureText(error.failure),
          missing: error.reason === "NOT_FOUND",
        });
    }
  }

  hostConnected(): void {}

  #set(next: Loaded<T>): void {
    this.#now = next;
    this.#host.requestUpdate();
  }
}
