import type { Redactor } from "@elwood/core/base/redact";

/**
 * Takes secrets out of text that comes in pieces. A secret may be cut anywhere, so the
 * last word is held back while it could be part of one, until what follows tells.
 */
export class SecretFilter {
  readonly #redact: Redactor;
  #held = "";

  constructor(redact: Redactor) {
    this.#redact = redact;
  }

  /** As much of the text so far as may be shown. */
  push(text: string): string {
    const all = this.#held + text;
    const cut = all.length > HELD_CHARS_MAX ? all.length : safeLength(all);
    this.#held = all.slice(cut);
    return this.#redact(all.slice(0, cut));
  }

  /** The rest, once nothing follows. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#redact(rest);
  }

  /** What was held is void. */
  drop(): void {
    this.#held = "";
  }
}

const HELD_CHARS_MAX = 16_384;

/** Up to where no secret can reach over: a private key that has begun is held whole, and so is the last word. */
function safeLength(text: string): number {
  const begun = text.indexOf("-----BEGIN");
  const ended = begun < 0 ? undefined : KEY_END.exec(text.slice(begun));
  if (begun >= 0 && !ended) return begun;
  const settled = ended ? begun + ended.index + ended[0].length : 0;
  const last = text.slice(settled).search(LAST_WORD);
  return last < 0 ? text.length : settled + last;
}

const KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/;
const LAST_WORD = /(?:[Bb]earer\s{0,4}|(?:[Bb]earer\s{1,4})?[A-Za-z0-9_\-.:+/=~]+)$/;
