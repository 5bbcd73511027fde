import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure } from "@elwood/core/base/failure";
import { err, ok } from "@elwood/core/base/result";
import { afterEach, beforeEach, expect, test } from "vitest";
import { chosenModel } from "./chosen-model.ts";
import { makeUseModel } from "./use-model.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "elwood-model-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function scene(options: { configured?: string; answers?: boolean } = {}) {
  const chosen = chosenModel(join(folder, "chosen-model"));
  const asked: string[] = [];
  const use = makeUseModel({
    configured: () => options.configured,
    chosen,
    credentials: {
      lookup: async () => ok(undefined),
      endpoint: async () => ({ baseUrl: "http://127.0.0.1:1/v1", api: "chat" as const }),
    },
    test: async (provider, _credential, _endpoint, model) => {
      asked.push(`${provider}/${model ?? ""}`);
      return options.answers === false
        ? err(failure("NETWORK", "It does not answer."))
        : ok({ model: "qwen3", ms: 12 });
    },
  });
  return { chosen, asked, use };
}

test("a model is chosen after it answered once, and another process knows it", async () => {
  const { chosen, asked, use } = scene();
  expect(await use("ollama/qwen3")).toMatchObject({ ms: 12 });
  expect(asked).toEqual(["ollama/qwen3"]);
  expect(chosen.current()).toBe("ollama/qwen3");
  expect(chosenModel(join(folder, "chosen-model")).current()).toBe("ollama/qwen3");
});

test("a model that does not answer is not chosen, and the one before stays", async () => {
  await scene().use("ollama/qwen3");
  const { chosen, use } = scene({ answers: false });
  await expect(use("ollama/other")).rejects.toThrow("It does not answer.");
  expect(chosen.current()).toBe("ollama/qwen3");
});

test("a choice is taken back by null", async () => {
  const { chosen, use } = scene();
  await use("ollama/qwen3");
  await use(null);
  expect(chosen.current()).toBeUndefined();
});

test("what the configuration names cannot be overruled", async () => {
  const { asked, use } = scene({ configured: "anthropic/claude" });
  await expect(use("ollama/qwen3")).rejects.toThrow("Nothing was changed.");
  expect(asked).toEqual([]);
});

test("what is no model's name is refused before anybody is asked", async () => {
  const { asked, use } = scene();
  await expect(use("qwen3 please")).rejects.toThrow("Nothing was changed.");
  expect(asked).toEqual([]);
});
