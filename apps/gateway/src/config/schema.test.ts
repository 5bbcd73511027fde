import { describe, expect, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import { makeWebAccess } from "../web/web-access.ts";

const load = (text: string, env: Record<string, string> = {}) => {
  const folder = testFolder();
  folder.write("home/config.yaml", text);
  return folder.load({ env });
};

test("without a word in the file only the open web is reached", async () => {
  expect((await load("")).config.web).toEqual({
    allowedOrigins: [],
    search: {},
    maxMegabytes: 10,
    timeoutSeconds: 60,
  });
});

test.each([
  "http://192.168.1.20:8123/api",
  "192.168.1.20:8123",
  "http://user@192.168.1.20",
  "*",
  "http://*.lan",
  "file:///",
])("an allowed origin is an exact one: %s is refused", async (origin) => {
  await expect(load(`web:\n  allowedOrigins: ['${origin}']\n`)).rejects.toThrow(/exact origin/);
});

test("what is allowed is reached, the owner's SearXNG too, and the gateway never", async () => {
  const loaded = await load(
    [
      "gateway:",
      "  port: 18790",
      "  allowedHosts: ['home.example:8443']",
      "web:",
      "  allowedOrigins: ['http://127.0.0.1:8123', 'http://127.0.0.1:18790', 'http://127.0.0.1:5555']",
      "  search:",
      "    searxngUrl: http://127.0.0.1:8888/sx",
    ].join("\n"),
  );
  const dialer = await makeWebAccess(loaded, () => 5_555).dialer();
  const check = (url: string) => dialer.check(url);
  expect(await check("http://127.0.0.1:8123/x")).toMatchObject({ ok: true, exempt: true });
  expect(await check("http://127.0.0.1:8888/search")).toMatchObject({ ok: true, exempt: true });
  expect(await check("http://127.0.0.1:9999/")).toMatchObject({ rule: "hard.address" });
  for (const url of ["http://127.0.0.1:18790/", "http://127.0.0.1:5555/", "https://home.example/"]) {
    expect(await check(url), url).toMatchObject({ rule: "hard.own-origin" });
  }
});

const memoryOf = async (yaml: string) => (await load(yaml)).config.memory;

describe("memory", () => {
  test("nothing is embedded unless the owner names an embedder", async () => {
    expect(await memoryOf("model: demo")).toEqual({
      enabled: true,
      fusion: "linear",
      recall: { tokens: 1_000 },
    });
    const old = await memoryOf("memory: { enabled: true, embeddingModel: text-embedding-3-small }");
    expect(old.embeddings).toBeUndefined();
  });

  test("an embedder has a cap, a rate and a time limit for questions from the start", async () => {
    expect((await memoryOf("memory: { embeddings: { model: ollama/nomic-embed-text } }")).embeddings).toEqual(
      {
        model: "ollama/nomic-embed-text",
        capUsd: 1,
        requestsPerMinute: 60,
        queryTimeoutMs: 1_500,
      },
    );
  });

  test("a model that does not say whose it is, is told", async () => {
    await expect(memoryOf("memory: { embeddings: { model: nomic-embed-text } }")).rejects.toThrow(
      /provider\/model/,
    );
  });
});
