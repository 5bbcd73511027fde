import type { BrowserLimits } from "./limits.ts";

export interface Clock {
  now(): number;
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** One profile's way out of the browser. */
export interface Pass {
  readonly username: string;
  readonly password: string;
  /** A call may open this address, so its pages may reach what is there, also where others may not. */
  visit(url: string): void;
  /** What was forbidden to its pages since this was last asked. */
  refused(): readonly { readonly target: string; readonly rule: string; readonly reason: string }[];
  revoke(): void;
}

/** The only way out: a proxy on this machine that checks every target. */
export interface Proxy {
  readonly port: number;
  pass(): Pass;
}

export type Checked =
  | { readonly ok: true }
  | { readonly ok: false; readonly rule: string; readonly reason: string };

/** What the browser tools need of whoever runs them. They reach nothing else. */
export interface BrowserOptions {
  /** The program, or why there is none and how to get one. */
  readonly executable: () => Promise<
    { readonly ok: true; readonly path: string } | { readonly ok: false; readonly message: string }
  >;
  /** What drives it, where the owner installed that; else it is built in. */
  readonly driver?: () => URL | undefined;
  /** Whether pages run in Chromium's own sandbox. */
  readonly sandbox: boolean;
  /** Without this system's root rights a sandbox can be made. */
  readonly root: boolean;
  /** All that the browser's process gets to see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly proxy: () => Promise<Proxy>;
  /** What the text of an address alone breaks, before anybody is asked. Looks nothing up. */
  readonly judge: (url: string) => Promise<{ readonly rule: string; readonly reason: string } | undefined>;
  /** What Elwood's rules say about an address and all that its name leads to; `unresolved` is no rule. */
  readonly check: (url: string, signal?: AbortSignal) => Promise<Checked>;
  readonly clock: Clock;
  /** An existing folder in which `downloads` is made; without it nothing can be saved. */
  readonly saveUnder?: string | undefined;
  readonly limits?: Partial<BrowserLimits>;
}
