import { bytesToBase64, bytesToHex } from "./bytes.ts";
import { isRecord } from "./is-record.ts";

/**
 * Takes secrets out of text before it is logged, stored or sent.
 *
 * By value: every secret Elwood itself holds (keys, tokens) is known and replaced
 * wherever it stands, also inside JSON strings and URLs, in base64 and in hexadecimal. By pattern: shapes that vendors
 * give their keys. The marker keeps the kind, never any part of the secret.
 */
export interface Redactor {
  /** `replace` says what stands in a secret's place; a marker unless told. */
  (text: string, replace?: (kind: string, secret: string) => string): string;
}

interface Pattern {
  readonly kind: string;
  /** Where it has a group named `before`, that stays: the secret is what follows. */
  readonly expression: RegExp;
}

/** Names under which a value is a key whatever it looks like; the value may stand in quotes, after "=" or ":". */
function named(names: string, value: string): RegExp {
  return new RegExp(
    `(?<before>\\b(?:${names})\\\\{0,8}["']?\\s{0,4}[=:]\\s{0,4}\\\\{0,8}["']?)${value}`,
    "gi",
  );
}

/**
 * Shapes with a fixed prefix or under a fixed name only: a shape that ordinary text can have would
 * eat the owner's words. What a pattern may look at before it gives up is bounded, so that no text
 * is slow.
 */
export const SECRET_PATTERNS: readonly Pattern[] = [
  { kind: "anthropic-key", expression: /\bsk-ant-[A-Za-z0-9_-]{16,}/g },
  // A capital or a digit near its start tells a key from hyphenated words (`sk-spinner-double-bounce`).
  { kind: "openai-key", expression: /\bsk-(?=[a-z_-]{0,64}[A-Z0-9])[A-Za-z0-9_-]{20,}/g },
  { kind: "github-token", expression: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/g },
  {
    kind: "gitlab-token",
    expression: /\bgl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{18,}/g,
  },
  { kind: "npm-token", expression: /\bnpm_[A-Za-z0-9]{36,}/g },
  { kind: "pypi-token", expression: /\bpypi-AgE[A-Za-z0-9_-]{50,}/g },
  { kind: "rubygems-key", expression: /\brubygems_[a-f0-9]{40,}/g },
  { kind: "docker-token", expression: /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/g },
  { kind: "aws-key", expression: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  {
    kind: "aws-secret",
    expression: named(
      "aws_?secret_?(?:access_?)?key|secret_?access_?key",
      "[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])",
    ),
  },
  {
    kind: "azure-key",
    expression: named("AccountKey|SharedAccessKey|azure_storage_key", "[A-Za-z0-9+/]{40,90}={1,2}"),
  },
  { kind: "google-key", expression: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: "google-oauth", expression: /\b(?:GOCSPX-[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{30,})/g },
  { kind: "slack-token", expression: /\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{20,}/g },
  {
    kind: "webhook",
    expression:
      /(?<before>\b(?:hooks\.slack\.com\/(?:services|workflows)\/(?=[A-Za-z0-9_/]{20})|discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/(?=[A-Za-z0-9_-]{50})))[A-Za-z0-9_/-]+/g,
  },
  { kind: "discord-token", expression: /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g },
  { kind: "telegram-token", expression: /\b\d{8,10}:AA[A-Za-z0-9_-]{32,}/g },
  { kind: "twilio-key", expression: /\bSK[0-9a-f]{32}\b/g },
  {
    kind: "twilio-token",
    expression: named("twilio_?(?:auth_?token|(?:api_?)?secret)", "[A-Za-z0-9]{32}\\b"),
  },
  { kind: "sendgrid-key", expression: /\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,}/g },
  { kind: "mailgun-key", expression: /\bkey-[0-9a-f]{32}\b/g },
  { kind: "stripe-key", expression: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{24,}/g },
  { kind: "square-token", expression: /\bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}/g },
  { kind: "shopify-token", expression: /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g },
  { kind: "hugging-face-token", expression: /\bhf_[A-Za-z0-9]{30,}/g },
  {
    kind: "model-key",
    expression:
      /\b(?:gsk_[A-Za-z0-9]{40,}|xai-[A-Za-z0-9]{40,}|pplx-[A-Za-z0-9]{40,}|r8_[A-Za-z0-9]{36,}|nvapi-[A-Za-z0-9_-]{50,}|tvly-(?:dev-|prod-)?[A-Za-z0-9]{30,})/g,
  },
  {
    kind: "service-token",
    expression:
      /\b(?:do[opr]_v1_[a-f0-9]{64}|hv[sbr]\.[A-Za-z0-9_-]{24,}|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}|figd_[A-Za-z0-9_-]{36,}|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|tskey-[a-z]{1,16}-[A-Za-z0-9-]{20,}|ATATT3[A-Za-z0-9_=-]{60,}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,}|sntr(?:ys|yu)_[A-Za-z0-9_=+/-]{40,}|fm2_[A-Za-z0-9_=+/-]{60,}|EAAC[A-Za-z0-9]{60,})/g,
  },
  { kind: "age-key", expression: /\bAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}/gi },
  { kind: "elwood-token", expression: /\belw_[A-Za-z0-9_-]{20,}/g },
  {
    kind: "jwt",
    expression: /\beyJ[A-Za-z0-9_-]{10,512}\.eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}/g,
  },
  {
    kind: "private-key",
    expression:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  // What stands for a password (`$PASS`, `<password>`, `***`) is none.
  {
    kind: "url-password",
    expression:
      /(?<before>:\/\/[^\s/?#:@"'<>[\]]{0,100}:)(?![$<{*[]|%[sd]@|\.{3}|(?:pass(?:word)?|pwd|secret|x+)@)[^\s/?#@"'<>]{1,200}(?=@[A-Za-z0-9[])/gi,
  },
  { kind: "bearer", expression: /(?<before>\b[Bb]earer\s{1,4})[A-Za-z0-9._~+/=-]{16,}/g },
  // A name and a password, as a request's header carries them.
  {
    kind: "basic-auth",
    expression:
      /(?<before>\bAuthorization\\{0,8}["']?\s{0,4}:\s{0,4}\\{0,8}["']?Basic\s{1,4})[A-Za-z0-9+/=_-]{8,}/gi,
  },
];

/** Shorter values are not replaced by value: they would match ordinary words. */
export const SECRET_VALUE_CHARS_MIN = 8;

/** Longer ones, such as whole key files, are known as they are and in JSON and URLs only. */
const ENCODED_CHARS_MAX = 4_096;

export function makeRedactor(secrets: Iterable<string>): Redactor {
  const values = new Set<string>();
  const known = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < SECRET_VALUE_CHARS_MIN) continue;
    if (secret.length <= ENCODED_CHARS_MAX) known.add(secret);
    for (const form of formsOf(secret)) values.add(form);
  }
  // Longest first, so that a secret that contains another goes whole.
  const ordered = [...values].sort((a, b) => b.length - a.length);
  const encodings = encodingsOf([...known].sort((a, b) => b.length - a.length));
  return (text, replace = marker) => {
    let out = text;
    for (const value of ordered)
      if (value.length <= out.length && out.includes(value))
        out = out.replaceAll(value, () => replace("", value));
    for (const encoding of encodings) out = replaceEncoded(out, encoding, replace);
    if (!mayHoldShape(out) || (out.length <= SHORT_CHARS_MAX && !SHAPE_BEGINS.test(out))) return out;
    for (const { kind, expression } of SECRET_PATTERNS) out = replaceShape(out, kind, expression, replace);
    return out;
  };
}

/** The shortest unbroken piece that a shape has, but for those in `SHORT_SHAPES`: that of a Slack token. */
const SHAPE_CHARS_MIN = 15;
const SHORT_SHAPES = /:\/\/|-----BEGIN|basic/i;
/** Of what unbroken pieces consist, by character code. */
const IN_SHAPE = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9._~+/=:-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Whether a text may hold one of the shapes: nearly none does, and most are streamed words. Looking for a long
 * piece without blanks costs less than forty expressions.
 */
function mayHoldShape(text: string): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = IN_SHAPE[text.charCodeAt(at)] === 1 ? run + 1 : 0;
    if (run === SHAPE_CHARS_MIN) return true;
  }
  return SHORT_SHAPES.test(text);
}

/** Looking once for the beginnings of all shapes costs less than looking for each, where a text is short: ids in a log, most of all. */
const SHORT_CHARS_MAX = 400;
/** Every shape holds one of these; a test makes shapes at random and looks. */
export const SHAPE_BEGINS = new RegExp(
  [
    "sk-|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|npm_|pypi-|rubygems_|dckr_|A[KS]IA|key|AIza|GOCSPX-|ya29|xox|xapp-",
    "hooks\\.slack|discord|[MNO][\\w-]{23,27}\\.|:AA|SK[0-9a-f]{4}|twilio|SG\\.|[rs]k_|whsec_|sq0|shp[a-z]{2}_|hf_",
    "gsk_|xai-|pplx-|r8_|nvapi-|tvly-|do[opr]_v1_|hv[sbr]\\.|glsa_|lin_api_|ntn_|figd_|PMAK-|ATATT3|dp\\.|sntr|fm2_|EAAC",
    "elw_|eyJ|-----BEGIN|:\\/\\/|bearer|basic",
  ].join("|"),
  "i",
);

function replaceShape(
  text: string,
  kind: string,
  expression: RegExp,
  replace: (kind: string, secret: string) => string,
): string {
  return text.replace(expression, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const before = isRecord(groups) && typeof groups["before"] === "string" ? groups["before"] : "";
    return `${before}${replace(kind, match.slice(before.length))}`;
  });
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

/** One way to write text, and how known secrets look once it is undone. */
interface Encoding {
  /** False where the text holds nothing that is written so. */
  readonly possible: (text: string) => boolean;
  /** What is undone, and what each piece of it stands for: one character, or none. */
  readonly pieces: RegExp;
  readonly read: (piece: string) => string;
  /** Spellings that mean the same become one; the length stays. */
  readonly fold: (plain: string) => string;
  readonly needles: readonly Needle[];
  /** Of the needles; none is found in less. */
  readonly shortest: number;
}

interface Needle {
  readonly text: string;
  /** Whether a part of the secret stands in the character before and in the one after it. */
  readonly before: boolean;
  readonly after: boolean;
}

/**
 * The same secrets as others write them: single characters escaped (`%73`, `\u0073`, `&#115;`),
 * base64 at any place inside of a longer text and over line breaks, and hexadecimal.
 */
function encodingsOf(secrets: readonly string[]): Encoding[] {
  const bytesOf = (secret: string) => {
    const whole = secret.toWellFormed();
    return [new TextEncoder().encode(whole), utf16(whole)];
  };
  const short = secrets.some((secret) => /["\u0000-\u001f]/.test(secret));
  const whole = (text: string): Needle => ({ text, before: false, after: false });
  const encodings: Omit<Encoding, "shortest">[] = [
    {
      possible: (text) => ESCAPES.test(text),
      pieces: short ? ESCAPED_SHORT : ESCAPED,
      read: readEscape,
      fold: (plain) => plain,
      needles: secrets.flatMap((secret) =>
        // What a URL escapes is bytes.
        [secret, String.fromCharCode(...new TextEncoder().encode(secret.toWellFormed()))].map(whole),
      ),
    },
    {
      possible: () => true,
      pieces: /\\+(?:[rn]|(?=\/))|[\r\n]/g,
      read: () => "",
      fold: (plain) => plain.replaceAll("-", "+").replaceAll("_", "/"),
      needles: secrets.flatMap((secret) =>
        bytesOf(secret).flatMap((bytes) => [0, 1, 2].map((shift) => base64Of(bytes, shift))),
      ),
    },
    {
      possible: (text) => HEX_RUN.test(text),
      pieces: /[\s:,;.-]|0x|\\+[xrn]/g,
      read: () => "",
      fold: (plain) => plain.toLowerCase(),
      needles: secrets.flatMap((secret) => bytesOf(secret).map((bytes) => whole(bytesToHex(bytes)))),
    },
  ];
  return encodings.map((encoding) => ({
    ...encoding,
    shortest: Math.min(...encoding.needles.map(({ text }) => text.length)),
  }));
}

const ESCAPES = /%[0-9a-fA-F]{2}|\\[ux"\\/bfnrt]|&#/;
const ESCAPED = /%(?:25){0,2}[0-9a-f]{2}|\\+(?:u[0-9a-f]{4}|x[0-9a-f]{2}|\/)|&#(?:\d{1,9}|x[0-9a-f]{1,8});/gi;
/** Where a secret holds a quotation mark or a line break, those are undone too. */
const ESCAPED_SHORT = new RegExp(`${ESCAPED.source}|\\\\+["bfnrt]`, "gi");
const SHORT_ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
const HEX_RUN = /(?:[0-9a-fA-F]{2}(?:[\s:,;.-]|0x|\\{1,8}[xrn]){0,4}){8}/;

function readEscape(piece: string): string {
  const last = piece.at(-1)!;
  if (piece.startsWith("%")) return String.fromCharCode(Number.parseInt(piece.slice(-2), 16));
  if (piece.startsWith("&")) {
    const number = piece.slice(2, -1);
    const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number(number);
    return String.fromCharCode(code);
  }
  const code = /[ux]([0-9a-f]+)$/i.exec(piece)?.[1];
  return code === undefined ? (SHORT_ESCAPES[last] ?? last) : String.fromCharCode(Number.parseInt(code, 16));
}

function replaceEncoded(
  text: string,
  encoding: Encoding,
  replace: (kind: string, secret: string) => string,
): string {
  // Undoing it makes no text longer.
  if (text.length < encoding.shortest || !encoding.possible(text)) return text;
  const plain = encoding.fold(text.replace(encoding.pieces, encoding.read));
  let out = text;
  for (const needle of encoding.needles) {
    if (plain.includes(needle.text)) out = replaceNeedle(out, encoding, needle, replace);
  }
  return out;
}

function replaceNeedle(
  text: string,
  { pieces, read, fold }: Encoding,
  { text: needle, before, after }: Needle,
  replace: (kind: string, secret: string) => string,
): string {
  // For each plain character, where it starts and ends in the text.
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (from: number, to: number) => {
    starts.push(from);
    ends.push(to);
  };
  let at = 0;
  for (const { index, 0: piece } of text.matchAll(pieces)) {
    for (; at < index; at++) add(at, at + 1);
    at = index + piece.length;
    if (read(piece) !== "") add(index, at);
  }
  for (; at < text.length; at++) add(at, at + 1);
  const plain = fold(text.replace(pieces, read));
  let out = "";
  let done = 0;
  for (let found = plain.indexOf(needle); found >= 0; found = plain.indexOf(needle, found + needle.length)) {
    const first = found - (before && BASE64_CHAR.test(plain.charAt(found - 1)) ? 1 : 0);
    let last = found + needle.length - 1;
    if (after && BASE64_CHAR.test(plain.charAt(last + 1))) last++;
    const from = Math.max(starts[first] ?? 0, done);
    const to = ends[last] ?? text.length;
    out += `${text.slice(done, from)}${replace("", text.slice(from, to))}`;
    done = to;
  }
  return out + text.slice(done);
}

const BASE64_CHAR = /^[A-Za-z0-9+/]$/;

/** A secret in base64 where so many bytes (of each three) stand before it: the characters that it alone determines. */
function base64Of(bytes: Uint8Array, shift: number): Needle {
  const padded = new Uint8Array(shift + bytes.length);
  padded.set(bytes, shift);
  const text = bytesToBase64(padded).replaceAll("=", "");
  const last = Math.floor(((shift + bytes.length) * 8) / 6);
  return { text: text.slice(Math.ceil((shift * 8) / 6), last), before: shift > 0, after: text.length > last };
}

/** As Windows writes text before it encodes it. */
function utf16(text: string): Uint8Array {
  return Uint8Array.from(
    Array.from({ length: 2 * text.length }, (_, i) => (text.charCodeAt(i >> 1) >> (8 * (i % 2))) & 0xff),
  );
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The last characters of a secret, for telling two keys apart on a screen. */
export function hint(secret: string): string {
  return secret.length >= 16 ? `…${secret.slice(-4)}` : "…";
}
