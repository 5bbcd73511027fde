import { ok } from "@elwood/core/base/result";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { chat } from "@elwood/testkit/chat-wire";
import { listen, requestOf } from "@elwood/testkit/contract-request";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { startOpenai } from "@elwood/testkit/openai-server";
import { responses } from "@elwood/testkit/responses-wire";
import { describe, expect, test } from "vitest";
import { knownProvider } from "./known-providers.ts";
import type { Credential } from "./credential.ts";
import { makeModels, type ModelsDeps } from "./models.ts";

const key = (secret: string): Credential => ({ type: "api_key", secret, source: "test" });

function models(keys: Record<string, Credential> = {}, more: Partial<ModelsDeps> = {}) {
  return makeModels({
    clock: new ManualClock(),
    random: () => 0,
    credentials: async (id) => ok(keys[id]),
    demo: { paceMs: 0 },
    ...more,
  });
}
async function refOf(found: ReturnType<ReturnType<typeof models>["resolve"]>): Promise<string> {
  const result = await found;
  return result.ok
    ? `${result.value.ref.provider}/${result.value.ref.model}`
    : `${result.error.reason}: ${result.error.message}`;
}

describe("which model answers", () => {
  test("with no key at all the demo model does, and is known as one", async () => {
    const found = await models().resolve(undefined);
    expect(found).toMatchObject({
      ok: true,
      value: { ref: { provider: "demo", model: "scripted" }, demo: true },
    });
  });

  test("a key decides where nothing is configured: Anthropic's before OpenAI's", async () => {
    const [a, o] = ["anthropic", "openai"].map((id) => `${id}/${knownProvider(id)?.model}`);
    expect(await refOf(models({ anthropic: key("a"), openai: key("o") }).resolve(undefined))).toBe(a);
    expect(await refOf(models({ openai: key("o") }).resolve(undefined))).toBe(o);
  });

  test("the configured model beats the keys, and the one asked for beats both", async () => {
    const m = models({ anthropic: key("a") }, { model: "ollama/qwen3" });
    expect(await refOf(m.resolve(undefined))).toBe("ollama/qwen3");
    expect(await refOf(m.resolve("claude-opus-5"))).toBe("anthropic/claude-opus-5");
    expect(await refOf(m.resolve("demo"))).toBe("demo/scripted");
    expect(await refOf(m.resolve("openrouter/meta/llama-4"))).toContain("NO_MODEL");
  });

  test("where the key comes from is told only where there is one", async () => {
    const m = models({ ollama: key(""), anthropic: key("a") });
    expect(await m.resolve("ollama/x")).not.toHaveProperty("value.keyFrom");
    expect(await m.resolve("anthropic/x")).toMatchObject({ value: { keyFrom: "test" } });
  });

  test("a local server needs no key", async () => {
    for (const id of ["ollama/x", "lmstudio/x", "vllm/x"]) expect(await refOf(models().resolve(id))).toBe(id);
  });

  test("a provider that needs a key and has none says how to get one", async () => {
    expect(await refOf(models().resolve("anthropic/claude-sonnet-5-5"))).toBe(
      "NO_MODEL: anthropic/claude-sonnet-5-5 needs a key for Anthropic, and none is set. Nothing was sent. Set one: elwood auth anthropic. Or set the variable ANTHROPIC_API_KEY, or ask the demo model: -m demo",
    );
  });

  test("an unknown provider is answered with the one that was meant", async () => {
    expect(await refOf(models().resolve("antropic/claude"))).toMatch(
      /^MODEL_UNKNOWN: There is no provider called antropic\..* Did you mean anthropic\?/,
    );
    expect(
      await refOf(
        models({}, { providers: { "my-llm": { baseUrl: "http://127.0.0.1:1/v1" } } }).resolve("my_lm/x"),
      ),
    ).toContain("Did you mean my-llm?");
    expect(await refOf(models().resolve("zzzzzz/x"))).toContain("Known are anthropic");
  });

  test("a name that is no reference, and a demo model that does not exist, are said to be", async () => {
    expect(await refOf(models().resolve("llama3"))).toMatch(
      /^MODEL_UNKNOWN: "llama3" does not say which provider/,
    );
    expect(await refOf(models().resolve("demo/better"))).toMatch(/^MODEL_UNKNOWN: There is one demo model/);
  });

  test("a provider of the configuration without an address is told what is missing", async () => {
    expect(await refOf(models({}, { providers: { mine: {} } }).resolve("mine/x"))).toContain(
      "providers.mine.baseUrl",
    );
  });

  test("a key that cannot be read stops the search instead of being passed over", async () => {
    const broken = models(
      {},
      {
        credentials: async () => ({
          ok: false,
          error: { reason: "STORAGE", message: "auth-profiles.json cannot be read.", retryable: true },
        }),
      },
    );
    expect(await refOf(broken.resolve(undefined))).toContain("STORAGE");
    expect(await refOf(broken.resolve("anthropic/x"))).toContain("STORAGE");
  });

  test("what is known names the servers that are connected, for a name without a provider, too", async () => {
    const m = models({}, { servers: async () => ["home-llm", "ollama"] });
    const known = "anthropic, openai, openrouter, ollama, lmstudio, vllm, demo, home-llm";
    expect(await refOf(m.resolve("zzzzzz/x"))).toContain(`Known are ${known}.`);
    expect(await refOf(m.resolve("zzzzzz"))).toContain(`Nothing was sent. Known providers are ${known}.`);
    expect(await refOf(m.resolve("home-lm/x"))).toContain("Did you mean home-llm?");
  });

  test("old models get the room that they can take", async () => {
    const room = async (ref: string) => {
      const found = await models({ anthropic: key("a"), openai: key("o") }).resolve(ref);
      return found.ok && found.value.maxOutputTokens;
    };
    expect(await room("anthropic/claude-3-haiku-20240307")).toBe(4_096);
    expect(await room("anthropic/claude-3-5-haiku-latest")).toBe(8_192);
    expect(await room("anthropic/claude-sonnet-5-5")).toBe(16_000);
  });
});

describe("providers", () => {
  test("one of the configuration is spoken to in the API it names, with its headers", async () => {
    const [a, o] = await Promise.all([startAnthropic(), startOpenai()]);
    a.will(anthropic.reply("from messages"));
    o.willRespond(responses.reply("from responses")).willChat(chat.reply("from chat"));
    const m = models(
      {},
      {
        providers: {
          one: { baseUrl: a.url, api: "anthropic", headers: { "x-team": "blue" } },
          two: { baseUrl: o.baseUrl, api: "responses" },
          three: { baseUrl: o.baseUrl },
        },
      },
    );
    const say = async (ref: string) => {
      const found = await m.resolve(ref);
      if (!found.ok) throw new Error(found.error.message);
      return (await listen(found.value.provider, requestOf({ model: found.value.ref.model }))).text;
    };
    expect([await say("one/x"), await say("two/gpt-5.5"), await say("three/y")]).toEqual([
      "from messages",
      "from responses",
      "from chat",
    ]);
    expect(a.last().headers["x-team"]).toBe("blue");
    await Promise.all([a.close(), o.close()]);
  });

  test("a known provider can be moved, and a key can bring its own address", async () => {
    const a = await startAnthropic();
    a.will(anthropic.reply("moved"), anthropic.reply("by key"));
    const moved = await models(
      { anthropic: key("a") },
      { providers: { anthropic: { baseUrl: a.url } } },
    ).resolve("claude-sonnet-5-5");
    const byKey = await models({ anthropic: { ...key("a"), baseUrl: a.url } }).resolve("claude-sonnet-5-5");
    if (!moved.ok || !byKey.ok) throw new Error("unresolved");
    expect((await listen(moved.value.provider, requestOf())).text).toBe("moved");
    expect((await listen(byKey.value.provider, requestOf())).text).toBe("by key");
    await a.close();
  });

  test("a key that is replaced counts from the next question on, in a run that goes on, too", async () => {
    const a = await startAnthropic();
    a.will(anthropic.reply("one"), anthropic.reply("two"));
    const keys = { anthropic: key("first") };
    const found = await models(keys, { providers: { anthropic: { baseUrl: a.url } } }).resolve(
      "claude-sonnet-5-5",
    );
    if (!found.ok) throw new Error(found.error.message);
    await listen(found.value.provider, requestOf());
    keys.anthropic = key("second");
    await listen(found.value.provider, requestOf());
    expect(a.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["first", "second"]);
    await a.close();
  });
});
