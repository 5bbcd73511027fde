import { startEmbeddings } from "@elwood/testkit/embeddings-server";
import { expect, onTestFinished, test } from "vitest";
import { startTestGateway } from "../test-gateway.ts";
import { filesOf, query } from "@elwood/memory/index/test-index-scene";

const SECRET = "sk-ant-REDACTME0123456789abcdef";

test("a gateway with an embedder finds by meaning what its files hold, and sends it no secret", async () => {
  const server = await startEmbeddings({ dims: 32, synonyms: [["dog", "puppy"]] });
  onTestFinished(() => server.close());
  const config = [
    "model: demo",
    `providers: { words: { baseUrl: "${server.baseUrl}" } }`,
    "memory: { embeddings: { model: words/words-1 } }",
  ];
  await using started = await startTestGateway({ config: config.join("\n") });
  const { say } = filesOf(started.home);
  say("ses_a", "We brought home a puppy named Biscuit", "Lovely.", `Use ${SECRET} for the printer`, "Noted.");
  const index = (await started.gateway.memory.index())!;
  await index.start();
  await index.sweep();
  await expect.poll(() => index.status().vectors).toMatchObject({ state: "ready" });
  const [hit] = await index.search(query("which dog"));
  expect(hit?.turn.text).toBe("We brought home a puppy named Biscuit");
  await index.search(query(`what is ${SECRET} for`));
  expect(JSON.stringify(server.requests)).not.toContain(SECRET);
  expect(server.texts().some((text) => text.includes("for the printer"))).toBe(true);
  expect(started.complaints).toEqual([]);
});
