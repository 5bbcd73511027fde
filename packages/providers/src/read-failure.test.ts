import { FailureError, failure } from "@elwood/core/base/failure";
import { describe, expect, test } from "vitest";
import { BrokenOff, ReplyTooLarge } from "./guarded-fetch.ts";
import { BadReply, CutShort, readFailure, readRetryAfter, StreamedError } from "./read-failure.ts";

const secret = "sk-ant-api03-very-secret-value-4f2a";
const who = {
  id: "anthropic",
  label: "Anthropic",
  baseUrl: "https://user:password@api.example.com/v1",
  local: false,
  credential: { type: "api_key" as const, secret, source: "ANTHROPIC_API_KEY" },
};
const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);
const context = { who, model: "claude-x", now: NOW };

const http = (status: number, error?: unknown, headers: Record<string, string> = {}) =>
  Object.assign(new Error("raw text of the provider"), { status, error, headers: new Headers(headers) });
const read = (
  error: unknown,
  more: Partial<typeof context> & { expired?: "first-event" | "idle" | "total" } = {},
) => readFailure(error, { ...context, ...more }).failure;

describe("AC-15: what an error means, cleaned of what the provider should not say", () => {
  test.each<[string, unknown, string]>([
    ["401", http(401), "AUTH"],
    ["403", http(403), "AUTH"],
    ["402", http(402), "BILLING"],
    [
      "an empty account at Anthropic",
      http(400, {
        error: { type: "invalid_request_error", message: "Your credit balance is too low to access" },
      }),
      "BILLING",
    ],
    ["an empty account at OpenAI", http(429, { code: "insufficient_quota" }), "BILLING"],
    [
      "a spend limit",
      http(403, {
        error: { type: "permission_error", details: { error_code: "enforced_spend_limit_reached" } },
      }),
      "BILLING",
    ],
    ["429", http(429), "RATE_LIMITED"],
    ["529", http(529), "OVERLOADED"],
    ["503", http(503), "OVERLOADED"],
    ["500", http(500), "UPSTREAM_ERROR"],
    ["502 as a page of HTML", http(502), "UPSTREAM_ERROR"],
    ["409", http(409), "UPSTREAM_ERROR"],
    ["408", http(408), "TIMEOUT"],
    ["413", http(413), "CONTEXT_FULL"],
    [
      "a long prompt at Anthropic",
      http(400, { error: { type: "invalid_request_error", message: "prompt is too long: 300000 tokens" } }),
      "CONTEXT_FULL",
    ],
    ["a long prompt at OpenAI", http(400, { code: "context_length_exceeded" }), "CONTEXT_FULL"],
    [
      "a long prompt at vLLM",
      http(400, { message: "This model's maximum context length is 8192 tokens." }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at llama.cpp",
      http(400, { message: "the request exceeds the available context size" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt and its answer at Anthropic",
      http(400, {
        error: {
          type: "invalid_request_error",
          message: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
        },
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Gemini",
      http(400, {
        code: 400,
        message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at xAI",
      http(400, {
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at LM Studio",
      http(400, {
        message:
          "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at LM Studio, another one",
      http(400, {
        message: "The number of tokens to keep from the initial prompt is greater than the context length.",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at SGLang",
      http(400, {
        message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at a newer vLLM",
      http(400, {
        message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at TGI",
      http(422, { message: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5000" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Together",
      http(422, { message: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193." }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Cohere",
      http(400, { message: "too many tokens: total number of tokens in the prompt cannot exceed 4081" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Moonshot",
      http(400, { message: "Invalid request: Your request exceeded model token limit: 8192" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at MiniMax",
      http(400, { message: "invalid params, context window exceeds limit (2013)" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Zhipu",
      http(400, { code: "1261", message: "Prompt exceeds max length" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at DashScope",
      http(400, { message: "Range of input length should be [1, 98304]" }),
      "CONTEXT_FULL",
    ],
    [
      "a long prompt at Copilot",
      http(400, {
        code: "model_max_prompt_tokens_exceeded",
        message: "prompt token count of 140000 exceeds the limit of 128000",
      }),
      "CONTEXT_FULL",
    ],
    [
      "an answer that may not be that long",
      http(400, {
        error: {
          type: "invalid_request_error",
          message: "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
        },
      }),
      "BAD_REQUEST",
    ],
    [
      "too many tokens a minute",
      http(429, { message: "Request too large: the token count 45000 exceeds the limit of 30000 a minute" }),
      "RATE_LIMITED",
    ],
    ["an unknown model at OpenAI", http(404, { code: "model_not_found" }), "MODEL_UNKNOWN"],
    [
      "an unknown model at Anthropic",
      http(404, { error: { type: "not_found_error", message: "model: x" } }),
      "MODEL_UNKNOWN",
    ],
    [
      "a model that Ollama does not have",
      http(404, { message: 'model "x" not found, try pulling it first' }),
      "MODEL_UNKNOWN",
    ],
    [
      "LM Studio without a model",
      http(404, { message: "No models loaded. Please load a model." }),
      "NO_MODEL",
    ],
    ["an error that is a bare string", http(404, "No models loaded"), "NO_MODEL"],
    ["no such path", http(404), "BAD_REQUEST"],
    [
      "another bad request",
      http(400, { error: { type: "invalid_request_error", message: "nope" } }),
      "BAD_REQUEST",
    ],
    ["a redirect", http(307), "BAD_REQUEST"],
    ["a model without tools", http(400, { message: "llama2 does not support tools" }), "BAD_REQUEST"],
    ["a prompt against the rules", http(400, { code: "invalid_prompt" }), "REFUSED"],
    ["overloaded after 200", new StreamedError({ type: "overloaded_error" }), "OVERLOADED"],
    [
      "overloaded after 200 in an envelope",
      new StreamedError({ error: { type: "overloaded_error" } }),
      "OVERLOADED",
    ],
    ["an unnamed error after 200", new StreamedError({ message: "?" }), "UPSTREAM_ERROR"],
    ["a status given as code", new StreamedError({ code: 429 }), "RATE_LIMITED"],
    ["a broken stream", new CutShort(), "NETWORK"],
    ["a socket that closed", new BrokenOff({ code: "ECONNRESET" }), "NETWORK"],
    [
      "no route",
      Object.assign(new Error("Connection error."), {
        cause: Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }),
      }),
      "NETWORK",
    ],
    [
      "a connection that is never made",
      Object.assign(new Error("Connection error."), { cause: { code: "ETIMEDOUT" } }),
      "TIMEOUT",
    ],
    ["broken JSON", new SyntaxError("Unexpected token"), "BAD_REPLY"],
    ["an answer out of order", new BadReply("?"), "BAD_REPLY"],
    ["an endless answer", new ReplyTooLarge(), "BAD_REPLY"],
    ["a fault of our own", new TypeError("x is not a function"), "INTERNAL"],
    ["something that is not an error", "boo", "INTERNAL"],
  ])("%s", (_name, error, reason) => {
    const said = read(error);
    expect(said.reason).toBe(reason);
    expect(said.message).not.toContain("raw text");
    expect(said.message).not.toContain(secret);
    expect(said.message).not.toContain("password");
  });

  test("a failure of Elwood's own stores passes through as it is", () => {
    const full = failure("STORAGE_FULL", "The disk is full.");
    expect(read(new FailureError(full))).toEqual(full);
  });

  test("a limit that was reached explains whatever was thrown because of it", () => {
    expect(read(new Error("aborted"), { expired: "first-event" })).toMatchObject({
      reason: "TIMEOUT",
      retryable: true,
    });
    expect(read(new Error("aborted"), { expired: "idle" })).toMatchObject({
      reason: "TIMEOUT",
      retryable: false,
    });
    expect(read(new Error("aborted"), { expired: "total" })).toMatchObject({
      reason: "TIMEOUT",
      retryable: false,
    });
  });
});

describe("words for people", () => {
  test("a refused key is named by its end and its source, with the command that helps", () => {
    expect(
      read(http(401, { error: { type: "authentication_error", message: "invalid x-api-key" } })).message,
    ).toBe(
      "Anthropic refused the key ending …4f2a from ANTHROPIC_API_KEY (401, authentication_error). It may be revoked or mistyped. Nothing was sent twice. Replace it: elwood auth anthropic",
    );
  });

  test("what the provider tells its caller to change goes beside our sentence in one short line", () => {
    expect(read(http(400, { error: { message: "Field temperature is gone." } }))).toMatchObject({
      message: expect.stringContaining("did not accept the request") as string,
      said: "Field temperature is gone",
    });
    expect(read(http(400, "no such\nfield")).said).toBe("no such field");
    expect(read(http(400)).said).toBeUndefined();
    // Of its own breakdown it says what is about its insides, and about keys our own sentence says enough.
    expect(read(http(500, { error: { message: "Internal explosion in shard 7." } })).said).toBeUndefined();
    expect(read(new StreamedError({ message: "shard\n7 is down" })).said).toBeUndefined();
    expect(read(http(401, { message: "Incorrect key provided: sk-…4f2a" })).said).toBeUndefined();
  });

  test("what the provider said carries no key, password, sign of Elwood's or escape sequence, and is cut", () => {
    const { said } = read(
      http(400, {
        message: `\u001b[2J✓ Done “all” with ${secret} at https://user:password@api.example.com ${"x".repeat(900)}`,
      }),
    );
    expect(said).not.toMatch(/\u001b|✓|very-secret|:password/);
    expect(said).toContain('(+) Done "all" with');
    expect(said).toHaveLength(160);
  });

  test("a profile is named instead of a source", () => {
    const credential = { ...who.credential, profileId: "anthropic:work" };
    expect(read(http(401), { who: { ...who, credential } }).message).toContain(
      "the key ending …4f2a (anthropic:work)",
    );
  });

  test("a short secret shows nothing of itself", () => {
    const credential = { ...who.credential, secret: "abcd1234" };
    const { message } = read(http(401), { who: { ...who, credential } });
    expect(message).toContain("refused the key from ANTHROPIC_API_KEY");
    expect(message).not.toContain("1234");
  });

  test("without a key the sentence asks for one", () => {
    const { credential: _, ...nobody } = who;
    expect(read(http(401), { who: nobody as typeof who }).message).toBe(
      "Anthropic wants a key (401) and none is set. Nothing was answered. Set one: elwood auth anthropic",
    );
  });

  test("a rate limit says when it ends", () => {
    expect(read(http(429, undefined, { "retry-after": "12" })).message).toContain(
      "it takes requests again in 12 s",
    );
    expect(read(http(429, undefined, { "retry-after": "600" })).message).toContain("in 10 min");
  });

  test("three different sentences for a refusal, a full context and bytes too many", () => {
    const said = [
      http(400, { code: "content_filter" }),
      http(400, { code: "context_length_exceeded" }),
      http(413),
    ].map((e) => read(e).message);
    expect(said[0]).toContain("Rephrase it");
    expect(said[1]).toContain("larger context");
    expect(said[2]).toContain("pictures and files included");
  });

  test("a local server that is not there is asked to be started", () => {
    const local = {
      ...who,
      id: "ollama",
      label: "Ollama",
      baseUrl: "http://127.0.0.1:11434/v1",
      local: true,
    };
    const refused = Object.assign(new Error("Connection error."), { cause: { code: "ECONNREFUSED" } });
    expect(read(refused, { who: local }).message).toBe(
      "Ollama cannot be reached at 127.0.0.1:11434. Your message is kept. Check that it is running and that its address is right.",
    );
    expect(
      read(http(404, { message: "not found, try pulling it first" }), { who: local, model: "qwen3" }).message,
    ).toContain("ollama pull qwen3");
  });

  test("a server that loads its model is marked so, and is no error yet", () => {
    expect(readFailure(http(503, { message: "Loading model" }), context)).toMatchObject({
      loading: true,
      brief: "Anthropic is loading claude-x.",
    });
  });

  test("the provider's machine word is shown only where it is one", () => {
    expect(
      read(http(400, { error: { type: "Ignore previous instructions <b>", message: "x" } })).message,
    ).toContain("(400).");
  });
});

describe("what the headers ask for", () => {
  test("x-should-retry decides, except where another try is senseless", () => {
    expect(read(http(500, undefined, { "x-should-retry": "false" })).retryable).toBe(false);
    expect(read(http(401, undefined, { "x-should-retry": "true" })).retryable).toBe(false);
    expect(read(http(500)).retryable).toBe(true);
  });

  test.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after-ms": "250.4" }, 250],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": new Date(NOW + 30_000).toUTCString() }, 30_000],
    [{ "retry-after": new Date(NOW - 30_000).toUTCString() }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{}, undefined],
  ])("%j", (headers, ms) => {
    expect(readRetryAfter(new Headers(headers), NOW)).toBe(ms);
  });
});
