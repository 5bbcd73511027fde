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
  let word = text.length;
  while (word > settled && isWritten(text.charCodeAt(word - 1))) word--;
  const before = text.slice(Math.max(settled, word - BEFORE_CHARS_MAX), word);
  // No secret goes on after an empty line: "chapter 39" is shown at once where its paragraph ends.
  if (/\n[ \t\r]{0,8}\n\s*$/.test(before)) return word;
  const introduced = before.search(INTRODUCTION);
  return introduced < 0 ? word : word - before.length + introduced;
}

const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const BEFORE_CHARS_MAX = 2_048;
/**
 * What makes a secret of the word that follows, across the blank between them: the name of a key
 * (`Bearer …`, `secret_key = …`), or more pairs of hexadecimal digits.
 */
const INTRODUCTION =
  /(?:\b(?:bearer|basic|[\w-]{0,40}(?:key|token|secret)["'\\]{0,9}\s{0,4}(?:[=:]\s{0,4}["'\\]{0,9})?)\s{0,4}|(?:(?:0x|\\x|\b)[0-9a-f]{2}[\s:,-]{1,3})+)$/i;

/** Any visible sign of ASCII: a secret may be written with all of them. */
function isWritten(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
