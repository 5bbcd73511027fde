import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hint, makeRedactor, SECRET_PATTERNS, SHAPE_BEGINS } from "./redact.ts";

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
  "gitlab-token": [
    `glpat-${body(20)}`,
    `glrt-${body(20)}`,
    `gldt-${body(20)}`,
    `glpat-${body(27)}.01.0a1b2c3d4`,
  ],
  "npm-token": [`npm_${body(36)}`],
  "pypi-token": [`pypi-AgE${body(60)}`],
  "rubygems-key": [`rubygems_${"0a1b2c3d".repeat(6)}`],
  "docker-token": [`dckr_pat_${body(27)}`],
  "aws-secret": [`${body(20)}/${body(10)}+${body(8)}`],
  "azure-key": [`${body(86)}==`],
  "google-oauth": [`GOCSPX-${body(28)}`, `ya29.${body(60)}`],
  webhook: [`T0123456789/B0123456789/${body(24)}`],
  "discord-token": [`M${body(25)}.GaB3-_.${body(38)}`, `O${body(23)}.XaB3dE.${body(27)}`],
  "twilio-key": [`SK${"0a1b2c3d".repeat(4)}`],
  "twilio-token": ["0a1b2c3d".repeat(4)],
  "sendgrid-key": [`SG.${body(22)}.${body(43)}`],
  "mailgun-key": [`key-${"0a1b2c3d".repeat(4)}`],
  "square-token": [`sq0atp-${body(22)}`, `sq0csp-${body(43)}`],
  "shopify-token": [`shpat_${"0a1b2c3d".repeat(4)}`],
  "hugging-face-token": [`hf_${body(34)}`],
  "model-key": [
    `gsk_${body(52)}`,
    `xai-${body(80)}`,
    `pplx-${body(48)}`,
    `r8_${body(37)}`,
    `nvapi-${body(64)}`,
    `tvly-dev-${body(32)}`,
  ],
  "service-token": [
    `dop_v1_${"0a1b2c3d".repeat(8)}`,
    `hvs.${body(24)}`,
    `glsa_${body(32)}_0a1b2c3d`,
    `lin_api_${body(40)}`,
    `ntn_${body(43)}`,
    `figd_${body(40)}`,
    `PMAK-${"0a1b2c3d".repeat(3)}-${"0a1b2c3d0a1b2c3d0a".repeat(2).slice(0, 34)}`,
    `tskey-auth-${body(16)}-${body(32)}`,
    `ATATT3${body(80)}`,
    `dp.pt.${body(43)}`,
    `sntrys_${body(60)}`,
    `fm2_${body(90)}`,
  ],
  "age-key": [`AGE-SECRET-KEY-1${body(58).toUpperCase()}`],
  "url-password": ["hunter2", "p%40ss:word!", body(32)],
  "basic-auth": [body(24)],
};

/** What stands before a secret that is known by its place. */
const BEFORE: Readonly<Record<string, string>> = {
  bearer: "Authorization: Bearer ",
  "basic-auth": "Authorization: Basic ",
  "aws-secret": "aws_secret_access_key = ",
  "azure-key": "DefaultEndpointsProtocol=https;AccountName=mine;AccountKey=",
  "twilio-token": "TWILIO_AUTH_TOKEN=",
  webhook: "https://hooks.slack.com/services/",
  "url-password": "postgres://anna:",
};
const AFTER: Readonly<Record<string, string>> = { "url-password": "@db.example.org/x" };

describe("a secret by its shape", () => {
  const redact = makeRedactor([]);
  const cases = Object.entries(CANARIES).flatMap(([kind, secrets]) =>
    secrets.map((secret) => [kind, secret] as const),
  );

  test.each(cases)("%s goes, and only its kind stays: %s", (kind, secret) => {
    const before = BEFORE[kind] ?? "key=";
    const after = AFTER[kind] ?? "";
    expect(redact(`${before}${secret}${after}`)).toBe(`${before}[redacted ${kind}]${after}`);
  });

  test.each(cases.filter(([kind]) => BEFORE[kind] === undefined && kind !== "private-key"))(
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

  test.each([
    [`{"SecretAccessKey": "${body(40)}"}`, `{"SecretAccessKey": "[redacted aws-secret]"}`],
    [`export AWS_SECRET_ACCESS_KEY='${body(40)}'`, `export AWS_SECRET_ACCESS_KEY='[redacted aws-secret]'`],
    [
      JSON.stringify(`"secretAccessKey": "${body(40)}"`),
      `"\\"secretAccessKey\\": \\"[redacted aws-secret]\\""`,
    ],
    [`SharedAccessKey=${body(43)}=;EntityPath=x`, "SharedAccessKey=[redacted azure-key];EntityPath=x"],
    [
      `https://discord.com/api/webhooks/123456789012345678/${body(68)}`,
      "https://discord.com/api/webhooks/123456789012345678/[redacted webhook]",
    ],
    [
      "git clone https://anna:s3cr3t@git.example.org/x.git",
      "git clone https://anna:[redacted url-password]@git.example.org/x.git",
    ],
    ["redis://:s3cr3t@127.0.0.1:6379/0", "redis://:[redacted url-password]@127.0.0.1:6379/0"],
    [
      `{"headers":{"authorization":"Basic ${body(24)}"}}`,
      `{"headers":{"authorization":"Basic [redacted basic-auth]"}}`,
    ],
    [
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${body(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
      "[redacted private-key]",
    ],
  ])("a secret that its name or place gives away goes: %s", (text, left) => {
    expect(redact(text)).toBe(left);
  });

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
    "npm_config_registry npm_lifecycle_event hf_hub_download gsk_ SG. key-value pairs",
    "http://localhost:5173/@vite/client https://example.org:8443/a@b mailto:anna@example.org",
    "postgres://$USER:$PASSWORD@db/x postgres://user:password@db/x https://<user>:<token>@example.org",
    "aws_secret_access_key = <your key>, AccountKey=…; TWILIO_AUTH_TOKEN=",
    "see 12:30 @anna, ssh://git@example.org:22/x and //cdn.example.org:443/x@1.2.3",
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
    "://a:",
    "://",
    "M".repeat(26) + ".",
    "aws_secret_access_key=",
    "%25",
    "\\\\",
    "\\u0065",
    "65 ",
    "&#",
    "hv",
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

  const key = "zR7-opaque/Key+of=mine_42";
  const utf8 = Buffer.from(key);
  test.each([
    ["base64", utf8.toString("base64")],
    ["base64 for URLs", utf8.toString("base64url")],
    ["base64 of UTF-16", Buffer.from(key, "utf16le").toString("base64")],
    ["base64 with a name before it", Buffer.from(`anna:${key}`).toString("base64")],
    [
      "base64 in the middle of a file, with line breaks",
      Buffer.from(`${"x".repeat(40)}${key}\n${"y".repeat(40)}`)
        .toString("base64")
        .replace(/.{76}/g, "$&\n"),
    ],
    ["base64 in lines of eight", utf8.toString("base64").replace(/.{8}/g, "$&\r\n")],
    [
      "such lines inside of JSON",
      JSON.stringify(Buffer.from(`a${key}`).toString("base64").replace(/.{8}/g, "$&\n")),
    ],
    ["base64 with escaped slashes", utf8.toString("base64").replaceAll("/", "\\/")],
    ["hexadecimal", utf8.toString("hex")],
    ["capital hexadecimal", utf8.toString("hex").toUpperCase()],
    ["hexadecimal with colons", utf8.toString("hex").replace(/..(?!$)/g, "$&:")],
    ["a list of bytes", utf8.toString("hex").replace(/../g, "0x$&, ")],
    ["escapes of a shell", utf8.toString("hex").replace(/../g, "\\x$&")],
    ["a URL with everything escaped", utf8.toString("hex").replace(/../g, "%$&")],
    ["a URL with capital escapes", utf8.toString("hex").toUpperCase().replace(/../g, "%$&")],
    ["a URL within a URL", encodeURIComponent(encodeURIComponent(key))],
    [
      "JSON with everything escaped",
      Array.from(key, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    ],
    ["JSON with some escaped", key.replaceAll("e", "\\u0065").replaceAll("/", "\\/")],
    ["such JSON in JSON", JSON.stringify(key.replaceAll("e", "\\u0065"))],
    ["HTML", Array.from(key, (c) => `&#${c.charCodeAt(0)};`).join("")],
    ["hexadecimal HTML", Array.from(key, (c) => `&#x${c.charCodeAt(0).toString(16)};`).join("")],
  ])("goes from %s", (_way, written) => {
    const out = makeRedactor([key])(`before ${written} after`);
    expect(out).toContain("[redacted]");
    expect(out).not.toContain(written.slice(4, -6));
    expect(out).toMatch(/^before .* after$/s);
  });

  test("goes from base64 wherever it starts and whatever is around it, and nothing else does", () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, (before, after) => {
        const encoded = Buffer.concat([before, utf8, after]).toString("base64");
        const out = makeRedactor([key])(encoded);
        expect(out).toContain("[redacted]");
        const [left = "", right = ""] = out.split("[redacted]");
        expect(encoded.startsWith(left) && encoded.endsWith(right)).toBe(true);
        expect(left.length).toBeGreaterThanOrEqual(Math.floor((before.length * 8) / 6) - 1);
      }),
    );
    expect(makeRedactor([key])(Buffer.from("nothing of it in here at all").toString("base64"))).not.toContain(
      "[",
    );
  });

  test("of a thousand characters is still known in base64", () => {
    const long = body(100).repeat(10);
    expect(makeRedactor([long])(Buffer.from(`a${long}`).toString("base64"))).toContain("[redacted]");
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

test("words without a long unbroken piece are passed by, and the shortest shapes are not", () => {
  const redact = makeRedactor([]);
  const plain = "Where did Anna leave the half-finished ironing-board in May?";
  expect(redact(plain)).toBe(plain);
  expect(redact("xoxb-0123456789")).toBe("[redacted slack-token]");
  expect(redact("see x://me:pw@h")).toBe("see x://me:[redacted url-password]@h");
  expect(redact("authorization: basic YWI6Y2Q=")).toBe("authorization: basic [redacted basic-auth]");
  expect(redact("-----BEGIN PRIVATE KEY-----\nab")).toBe("[redacted private-key]");
});

test("whatever a shape may be made of, it holds one of the beginnings that are looked for first", () => {
  const made = SECRET_PATTERNS.map(({ kind, expression }) => {
    // What is only looked at, and not taken, is left out: more is made then, and what does not fit is not counted.
    const plain = expression.source
      .replaceAll("\\b", "")
      .replaceAll(/\(\?[=!](?:[^()[\]\\]|\\.|\[(?:[^\]\\]|\\.)*\]|\((?:[^()]|\([^()]*\))*\))*\)/g, "")
      .replaceAll("(?<before>", "(?:");
    const anyCase = expression.ignoreCase ? fc.constantFrom("lower", "upper", "as is") : fc.constant("as is");
    const behind = fc.constantFrom("", "@host", body(60));
    const shapes = fc
      .tuple(fc.stringMatching(new RegExp(plain)), anyCase, behind)
      .map(([text, how, more]) =>
        how === "upper"
          ? `${text.toUpperCase()}${more}`
          : how === "lower"
            ? `${text.toLowerCase()}${more}`
            : `${text}${more}`,
      );
    let found = 0;
    fc.assert(
      fc.property(shapes, (text) => {
        if (text.search(expression) < 0) return;
        found += 1;
        expect(SHAPE_BEGINS.test(text), `${kind}: ${text}`).toBe(true);
      }),
      { numRuns: 150 },
    );
    return { kind, found };
  });
  expect(made.filter(({ found }) => found === 0)).toEqual([]);
});
