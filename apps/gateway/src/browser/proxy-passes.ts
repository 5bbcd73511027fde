import { createHash, timingSafeEqual } from "node:crypto";
import { readOrigin } from "@elwood/core/net/web-address";

/** Origins that the owner opened are few, and each visit of one was asked about. */
const VISITED_MAX = 200;

/** A request of a page that Elwood's rules forbade. Nothing was sent. */
export interface RefusedRequest {
  /** host:port */
  readonly target: string;
  readonly rule: string;
  readonly reason: string;
}

/** One profile's way through the proxy. */
export interface Pass {
  readonly username: string;
  readonly password: string;
  note(refused: RefusedRequest): void;
  /** The owner let this very address be opened: a machine of theirs behind it may be reached from here on. */
  visit(url: string): void;
  /** A page from elsewhere must not reach machines that the owner opened for themselves to name. */
  mayReach(target: { readonly host: string; readonly port: number; readonly exempt: boolean }): boolean;
  /** What was refused since this was last asked, each target once. */
  refused(): readonly RefusedRequest[];
  /** From here on it lets nobody through. */
  revoke(): void;
}

/** Who may use the proxy. */
export class Passes {
  readonly #chance: () => string;
  readonly #max: number;
  readonly #refusedKept: number;
  readonly #live = new Map<string, Pass>();

  constructor(chance: () => string, max: number, refusedKept: number) {
    this.#chance = chance;
    this.#max = max;
    this.#refusedKept = refusedKept;
  }

  issue(): Pass {
    if (this.#live.size >= this.#max) throw new Error("Too many profiles of the browser are open.");
    const username = this.#chance();
    const refused = new Map<string, RefusedRequest>();
    const visited = new Set<string>();
    const pass: Pass = {
      username,
      password: this.#chance(),
      note: (entry) => {
        if (refused.size < this.#refusedKept) refused.set(`${entry.target} ${entry.rule}`, entry);
      },
      visit: (url) => {
        const place = readOrigin(URL.parse(url)?.origin ?? "")?.replace(/^\w+:\/\//, "");
        if (place !== undefined && visited.size < VISITED_MAX) visited.add(place);
      },
      mayReach: ({ host, port, exempt }) =>
        !exempt || visited.has(`${host.includes(":") ? `[${host}]` : host}:${port}`),
      refused: () => {
        const all = [...refused.values()];
        refused.clear();
        return all;
      },
      revoke: () => void this.#live.delete(username),
    };
    this.#live.set(username, pass);
    return pass;
  }

  /** The pass that a `Proxy-Authorization` line proves. */
  of(header: string | undefined): Pass | undefined {
    const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? "")?.[1];
    if (encoded === undefined) return undefined;
    const [username = "", password = ""] = Buffer.from(encoded, "base64").toString("utf8").split(":");
    const pass = this.#live.get(username);
    return pass && same(pass.password, password) ? pass : undefined;
  }
}

function same(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
