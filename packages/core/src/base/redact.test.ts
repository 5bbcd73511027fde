import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hint, makeRedactor, SECRET_PATTERNS } from "./redact.ts";

fc.configureGlobal({ seed: 20_261_115 });

/** Made up, of the shape that each vendor gives its keys. */
const body = (chars: number) => "Ab3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA".repeat(4).slice(0, chars);
const CANARIES: Record<string, readonly string[]> = {
  "anthropic-key": [`sk-ant-api03-${body(40)}`, `sk-ant-oat01-${body(40)}_-`],
  "openai-key": [
    `sk-${body(48)}`,
    `sk-proj-${body(60)}`,
    `sk-svcacct-${body(40)}`,
    `sk-or-v1-${"0a1b2c3d".repeat(8)}`,
  ],
  "github-token": [
    `ghp_${body(36)}`,
    `gho_${body(36)}`,
    `ghs_${body(36)}`,
    `github_pat_${body(22)}_${body(59)}`,
  ],
  "aws-key": [`AKIA${body(16).toUpperCase()}`, `ASIA${body(16).toUpperCase()}`],
  "google-key": [`AIza${body(35)}`],
  "slack-token": [`xoxb-123456789012-${body(24)}`, `xoxp-${body(30)}`],
  "telegram-token": [`123456789:AA${body(33)}`],
  "stripe-key": [`sk_live_${body(24)}`, `rk_test_${body(24)}`],
  "elwood-token": [`elw_${body(43)}`],
  jwt: [`eyJ${body(20)}.eyJ${body(40)}.${body(43)}`],
  "private-key": [
    `-----BEGIN RSA PRIVATE KEY-----\n${body(64)}\n${body(64)}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\\n${body(64)}\\n-----END PRIVATE KEY-----`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${body(64)}`,
  ],
  bearer: [body(32)],
};

describe("a secret by its shape", () => {
  const redact = makeRedactor([]);
  const cases = Object.entries(CANARIES).flatMap(([kind, secrets]) =>
    secrets.map((secret) => [kind, secret] as const),
  );

  test.each(cases)("%s goes, and only its kind stays: %s", (kind, secret) => {
    const before = kind === "bearer" ? "Authorization: Bearer " : "key=";
    expect(redact(`${before}${secret}`)).toBe(`${before}[redacted ${kind}]`);
  });

  test.each(cases.filter(([kind]) => kind !== "bearer" && kind !== "private-key"))(
    "%s goes from JSON, from a URL and from the middle of a sentence: %s",
    (kind, secret) => {
      expect(redact(JSON.stringify({ a: { token: secret }, b: 1 }))).toBe(
        `{"a":{"token":"[redacted ${kind}]"},"b":1}`,
      );
      expect(redact(`https://example.org/x?key=${secret}&y=1`)).toBe(
        `https://example.org/x?key=[redacted ${kind}]&y=1`,
      );
      expect(redact(`it is (${secret}), he said`)).toBe(`it is ([redacted ${kind}]), he said`);
    },
  );

  test("every shape has a canary", () => {
    expect(SECRET_PATTERNS.map(({ kind }) => kind).sort()).toEqual(Object.keys(CANARIES).sort());
  });

  test.each([
    "task-list sk-spinner sk-spinner-double-bounce sk-folding-cube-animation",
    "The bearer of this letter is honest. Bearer tokens are strings.",
    "AKIA is a prefix, ghp_ too, and xoxb-1 is short",
    "12:30:AA and 20261115:AAbc are times",
    "run_01hf7yat00zzzzzzzzzzzzzzzz ses_01hf7yat00zzzzzzzzzzzzzzzz",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  ])("ordinary text stays as it is: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  test("redacting twice changes nothing more", () => {
    const once = redact(Object.values(CANARIES).flat().join(" Bearer "));
    expect(redact(once)).toBe(once);
  });

  // Without bounds in the patterns these would take minutes each, not milliseconds.
  test.each([
    "eyJ-",
    "eyJaaaaaaaaaaa.eyJ",
    "sk-",
    "sk-a-",
    "-----BEGIN ",
    "-----BEGIN A PRIVATE KEY-----",
    "Bearer ",
    "123456789:AA",
    "xoxb-",
    "a",
  ])("a long text made to be slow is not: %j over and over", (piece) => {
    expect(redact(piece.repeat(100_000)).length).toBeGreaterThan(0);
  });
});

describe("EL-18: a secret by its value", () => {
  const awkward = "p\"a\\s s/w+o=r&d%é✓!'(*)";

  test("goes wherever it stands: plain, in JSON, in JSON in JSON, in a URL, in a form", () => {
    const redact = makeRedactor([awkward]);
    expect(redact(`a ${awkward} b ${awkward}`)).toBe("a [redacted] b [redacted]");
    expect(redact(JSON.stringify({ key: awkward }))).toBe('{"key":"[redacted]"}');
    expect(redact(JSON.stringify({ log: JSON.stringify({ key: awkward }) }))).not.toContain("s/w+o=r");
    expect(redact(`https://example.org/?k=${encodeURIComponent(awkward)}`)).toBe(
      "https://example.org/?k=[redacted]",
    );
    expect(redact(new URLSearchParams({ k: awkward }).toString())).toBe("k=[redacted]");
  });

  test("goes whatever characters it is made of, half an emoji included", () => {
    const secrets = fc.string({ unit: "binary", minLength: 8, maxLength: 40 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!"[redacted]".includes(secret));
        const redact = makeRedactor([secret]);
        for (const text of [`${before}${secret}${after}`, JSON.stringify({ [before]: secret })]) {
          expect(redact(text)).toContain("[redacted]");
        }
      }),
    );
    const broken = "half \ud83d emoji";
    expect(makeRedactor([broken])(`x ${broken} y`)).toBe("x [redacted] y");
    expect(makeRedactor([broken])(`x ${broken.toWellFormed()} y`)).toBe("x [redacted] y");
  });

  test("that holds another secret goes whole", () => {
    const redact = makeRedactor(["opensesame", "opensesame-and-more"]);
    expect(redact("opensesame-and-more")).toBe("[redacted]");
  });

  test("that is too short to be told from a word is left alone", () => {
    expect(makeRedactor(["", "1234567"])("1234567")).toBe("1234567");
    expect(makeRedactor(["12345678"])("12345678")).toBe("[redacted]");
  });

  test("is read as text, not as a pattern", () => {
    expect(makeRedactor(["a.b*c$&d"])("a.b*c$&d axbbc")).toBe("[redacted] axbbc");
  });
});

test("a hint tells two keys apart and gives a short one away not at all", () => {
  expect(hint("sk-ant-0123456789abcdef")).toBe("…cdef");
  expect(hint("short-secret")).toBe("…");
});
