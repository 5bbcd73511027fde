/**
 * Takes secrets out of text before it is logged, stored or sent.
 *
 * By value: every secret Elwood itself holds (keys, tokens) is known and replaced
 * wherever it stands, also inside JSON strings and URLs. By pattern: shapes that vendors
 * give their keys. The marker keeps the kind, never any part of the secret.
 */
export interface Redactor {
  /** `replace` says what stands in a secret's place; a marker unless told. */
  (text: string, replace?: (kind: string, secret: string) => string): string;
}

interface Pattern {
  readonly kind: string;
  readonly expression: RegExp;
}

/**
 * Shapes with a fixed prefix only: a shape that ordinary text can have would eat the owner's
 * words. What a pattern may look at before it gives up is bounded, so that no text is slow.
 */
export const SECRET_PATTERNS: readonly Pattern[] = [
  { kind: "anthropic-key", expression: /\bsk-ant-[A-Za-z0-9_-]{16,}/g },
  // A capital or a digit near its start tells a key from hyphenated words (`sk-spinner-double-bounce`).
  { kind: "openai-key", expression: /\bsk-(?=[a-z_-]{0,64}[A-Z0-9])[A-Za-z0-9_-]{20,}/g },
  { kind: "github-token", expression: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/g },
  { kind: "aws-key", expression: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: "google-key", expression: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: "slack-token", expression: /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g },
  { kind: "telegram-token", expression: /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/g },
  { kind: "stripe-key", expression: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { kind: "elwood-token", expression: /\belw_[A-Za-z0-9_-]{20,}/g },
  {
    kind: "jwt",
    expression: /\beyJ[A-Za-z0-9_-]{10,512}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}/g,
  },
  {
    kind: "private-key",
    expression: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  },
  { kind: "bearer", expression: /(?<=\b[Bb]earer\s{1,4})[A-Za-z0-9._~+/=-]{16,}/g },
];

/** Shorter values are not replaced by value: they would match ordinary words. */
export const SECRET_VALUE_CHARS_MIN = 8;

export function makeRedactor(secrets: Iterable<string>): Redactor {
  const values = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SECRET_VALUE_CHARS_MIN) continue;
    for (const form of formsOf(secret)) values.add(form);
  }
  // Longest first, so that a secret that contains another goes whole.
  const ordered = [...values].sort((a, b) => b.length - a.length);
  return (text, replace = marker) => {
    let out = text;
    for (const value of ordered)
      if (out.includes(value)) out = out.replaceAll(value, () => replace("", value));
    for (const { kind, expression } of SECRET_PATTERNS) {
      out = out.replace(expression, (secret) => replace(kind, secret));
    }
    return out;
  };
}

function marker(kind: string): string {
  return kind === "" ? "[redacted]" : `[redacted ${kind}]`;
}

/** How a secret looks as it is, in JSON (also once more inside JSON), in a URL and in a form. */
function formsOf(secret: string): string[] {
  // Half a surrogate pair cannot be encoded; what encoders make of it is its well-formed twin.
  const whole = secret.toWellFormed();
  const inJson = quoted(secret);
  return [
    secret,
    whole,
    inJson,
    quoted(inJson),
    encodeURIComponent(whole),
    new URLSearchParams([["", whole]]).toString().slice(1),
  ];
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The last characters of a secret, for telling two keys apart on a screen. */
export function hint(secret: string): string {
  return secret.length >= 16 ? `…${secret.slice(-4)}` : "…";
}
