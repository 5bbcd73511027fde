import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { never } from "@elwood/testkit/answers";
import { startEmbeddings } from "@elwood/testkit/embeddings-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { vectorRig, WAITED_FOR } from "./test-vectors.ts";
import { VECTOR_LIMITS } from "./limits.ts";

const clock = new ManualClock({ autoAdvance: (ms) => !WAITED_FOR.includes(ms) });

test("a gateway that is killed while it fills goes on where it was, and pays for no text twice but those on their way", async () => {
  const server = await startEmbeddings({ dims: 32 });
  const batch = VECTOR_LIMITS.batchTexts;
  const texts = Array.from({ length: batch * 4 }, (_, i) => `Turn number ${i} is about subject ${i % 17}`);
  const rig = vectorRig({ clock, baseUrl: server.baseUrl });
  rig.add(...texts);
  await rig.close(true);

  server.willEmbed(server.vectors(), server.vectors(), never());
  const child = spawn(process.execPath, [
    join(import.meta.dirname, "fill-killed.ts"),
    rig.folder,
    server.baseUrl,
  ]);
  await server.untilRequests(3);
  child.kill("SIGKILL");
  await once(child, "exit");
  const onTheWay = new Set(server.texts().slice(batch * 2));
  expect(onTheWay.size).toBe(batch);
  // Charged before it was sent: a request whose answer nobody saw still counts.
  const costs = JSON.parse(readFileSync(join(rig.folder, "costs.json"), "utf8")) as { tokens: number };
  expect(costs.tokens).toBeGreaterThan(0);

  const again = vectorRig({ clock, baseUrl: server.baseUrl, folder: rig.folder });
  try {
    expect(again.vectors.status()).toMatchObject({ filled: batch * 2, dims: 32 });
    expect(await again.near("subject")).toMatch(/128 of 256/);
    await again.fill();
    expect(again.vectors.status()).toMatchObject({ state: "ready", filled: batch * 4 });
    const times = Map.groupBy(server.texts(), (text) => text);
    const twice = [...times].filter(([, sent]) => sent.length > 1).map(([text]) => text);
    expect(new Set(twice)).toEqual(onTheWay);
    expect(times.size).toBe(texts.length);
  } finally {
    await again.close();
    await server.close();
  }
});
