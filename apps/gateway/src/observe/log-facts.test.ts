import { expect, test } from "vitest";
import { logFacts } from "./log-facts.ts";

test("EL-18: a limit that is reached is a warning, with the model that was asked and nothing that was said", () => {
  const lines: [string, string, unknown][] = [];
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push([level, message, fields]);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const ref = { provider: "openai", model: "gpt-5.5" };
  logFacts(
    log,
    () => "req_1",
  )({
    kind: "model",
    tenant: "acme",
    runId: "exe_1",
    operation: "chat",
    asked: ref,
    answered: ref,
    startedAt: 1,
    endedAt: 2,
    outcome: "failed",
    reason: "LIMIT",
    maxOutputTokens: 10,
    messages: [],
  });
  expect(lines.filter(([level]) => level !== "debug")).toEqual([
    [
      "warn",
      "a request to a model was not sent: a limit is reached",
      {
        event: "limit.reached",
        runId: "exe_1",
        tenant: "acme",
        requestId: "req_1",
        model: "openai/gpt-5.5",
      },
    ],
  ]);
});
