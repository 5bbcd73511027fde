import type { EmbedRequest } from "@elwood/core/model/embedding";
import type { FailureReason } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cut, never, raw } from "./answers.ts";
import { retryingClock } from "./contract-request.ts";
import { startEmbeddings, tokensOf, type EmbeddingsServer } from "./embeddings-server.ts";
import type { Answer } from "./loopback-server.ts";
import { ManualClock } from "./manual-clock.ts";
import { openaiRefusal } from "./openai-refusal.ts";
import { CONTRACT_KEY, RAW_TEXT, type ContractFault } from "./provider-harness.ts";
import { wordVector } from "./word-vectors.ts";

export type MakeEmbedder = (baseUrl: string, clock: ManualClock) => ModelProvider;

/** What every `embed` promises. The other side speaks OpenAI's `/embeddings`, which is the only such format there is so far. */
export function describeEmbedContract(name: string, make: MakeEmbedder): void {
  describe(`${name} keeps the promises of embed`, () => {
    let server: EmbeddingsServer;
    beforeEach(async () => {
      server = await startEmbeddings({ dims: 16 });
    });
    afterEach(() => server.close());

    const embed = (change: Partial<EmbedRequest> = {}, clock = retryingClock()) => {
      const provider = make(server.baseUrl, clock);
      if (!provider.embed) throw new Error("this provider has no embed");
      return provider.embed({
        model: "words-1",
        texts: ["a red house", "the green tree"],
        inputType: "document",
        signal: new AbortController().signal,
        ...change,
      });
    };

    test.each([
      ["as base64", {}],
      ["as numbers, though base64 was asked for", { floats: true }],
      ["out of order", { shuffled: true }],
    ])("AC-1: vectors come back in the order of the texts, sent %s", async (_, how) => {
      server.willEmbed(server.vectors(how));
      const texts = ["a red house", "the green tree", "one blue boat"];
      const answer = await embed({ texts });
      expect(answer).toMatchObject({ ok: true, value: { tokens: tokensOf(texts), model: "words-1" } });
      if (!answer.ok) return;
      const expected = texts.map((text) => wordVector(text, { dims: 16, seed: "words-1" }));
      expect(answer.value.vectors.map((v) => [...v])).toEqual(expected.map((v) => [...v]));
      server.assertDone();
    });

    test("a number of dimensions is asked for, and an answer of another is a failure", async () => {
      expect(await embed({ dims: 8 })).toMatchObject({ ok: true });
      expect(server.last().body).toMatchObject({ dimensions: 8 });
      server.willEmbed(server.vectors({ dims: 16 }));
      await expectFailure(embed({ dims: 8 }), "BAD_REPLY");
      expect(server.requests).toHaveLength(2);
    });

    test("a server that refuses to hear of base64 or dimensions is asked without", async () => {
      const refused = (word: string) =>
        raw(400, JSON.stringify({ error: { message: `${word} not supported` } }), {
          "content-type": "application/json",
        });
      server.willEmbed(refused("encoding_format"), refused("dimensions"));
      expect(await embed({ dims: 16 })).toMatchObject({ ok: true });
      expect(server.last().body).toMatchObject({ encoding_format: "float" });
      expect(server.last().body).not.toHaveProperty("dimensions");
    });

    test.each<[string, (s: EmbeddingsServer) => Answer]>([
      ["too few vectors", (s) => s.vectors({ fewer: 1 })],
      ["no list", () => raw(200, "{}", { "content-type": "application/json" })],
      [
        "vectors of two lengths",
        () =>
          rows([
            [1, 0],
            [1, 0, 0],
          ]),
      ],
      ["empty vectors", () => rows([[], []])],
      [
        "something that is no number",
        () =>
          rows([
            [1, null],
            [0, 1],
          ]),
      ],
      ["half of a float", () => rows(["AAAA", "AAAA"])],
      [
        "one place twice",
        () =>
          rows(
            [
              [1, 0],
              [0, 1],
            ],
            [0, 0],
          ),
      ],
      ["broken JSON", () => raw(200, '{"data": [', { "content-type": "application/json" })],
      ["a web page", () => raw(200, "<html>", { "content-type": "text/html" })],
    ])("%s: the whole answer is a failure", async (_, answer) => {
      server.willEmbed(answer(server));
      await expectFailure(embed(), "BAD_REPLY");
      expect(server.requests).toHaveLength(1);
    });

    test.each<ContractFault & FailureReason>([
      "AUTH",
      "BILLING",
      "CONTEXT_FULL",
      "MODEL_UNKNOWN",
      "BAD_REQUEST",
    ])("%s is said at once and not tried again", async (fault) => {
      server.willEmbed(openaiRefusal({ fault })!);
      await expectFailure(embed(), fault);
      expect(server.requests).toHaveLength(1);
    });

    test.each<ContractFault & FailureReason>(["RATE_LIMITED", "OVERLOADED", "UPSTREAM_ERROR"])(
      "%s is tried again, so often and no more",
      async (fault) => {
        server.willEmbed(openaiRefusal({ fault })!);
        expect(await embed()).toMatchObject({ ok: true });
        server.willEmbed(...Array.from({ length: LIMITS.modelAttemptsMax }, () => openaiRefusal({ fault })!));
        await expectFailure(embed(), fault);
        expect(server.requests).toHaveLength(2 + LIMITS.modelAttemptsMax);
      },
    );

    test("a cut connection is tried again", async () => {
      server.willEmbed(cut());
      expect(await embed()).toMatchObject({ ok: true });
      expect(server.requests).toHaveLength(2);
    });

    test("a server's own wish for a pause is honoured", async () => {
      const clock = retryingClock();
      server.willEmbed(openaiRefusal({ fault: "RATE_LIMITED", retryAfterMs: 7_000 })!);
      expect(await embed({}, clock)).toMatchObject({ ok: true });
      expect(clock.sleeps.map((s) => s.ms)).toContain(7_000);
    });

    test("a stop is heard while the server is silent", async () => {
      const stop = new AbortController();
      server.willEmbed(never());
      const asked = embed({ signal: stop.signal }, new ManualClock());
      await server.untilRequests(1);
      stop.abort();
      await expectFailure(asked, "ABORTED");
    });

    test("a server that never answers is TIMEOUT, and asked once more", async () => {
      const clock = retryingClock();
      server.willEmbed(never());
      const asked = embed({}, clock);
      await server.untilRequests(1);
      // A server on this machine is given more time than one elsewhere.
      await clock.advance(clock.sleeps.at(-1)!.ms);
      expect(await asked).toMatchObject({ ok: true });
      expect(server.requests).toHaveLength(2);
    });

    test("models that want to be told a question from a passage are told", async () => {
      await embed({ model: "nomic-embed-text", inputType: "query", texts: ["tea?"] });
      await embed({ model: "nomic-embed-text", inputType: "document", texts: ["tea."] });
      await embed({ model: "own", prefixes: { query: "Q ", document: "D " }, texts: ["tea."] });
      expect(server.texts()).toEqual(["search_query: tea?", "search_document: tea.", "D tea."]);
    });
  });
}

function rows(vectors: readonly unknown[], places?: readonly number[]): Answer {
  const data = vectors.map((embedding, at) => ({ index: places?.[at] ?? at, embedding }));
  return raw(200, JSON.stringify({ data }), { "content-type": "application/json" });
}

async function expectFailure(asked: ReturnType<NonNullable<ModelProvider["embed"]>>, reason: FailureReason) {
  const answer = await asked;
  expect(answer).toMatchObject({ ok: false, error: { reason } });
  if (answer.ok) return;
  expect(answer.error.message.length).toBeGreaterThan(10);
  expect(answer.error.message).not.toContain(RAW_TEXT);
  expect(answer.error.message).not.toContain(CONTRACT_KEY);
}
