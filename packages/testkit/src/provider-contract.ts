import { afterEach, describe, expect, test } from "vitest";
import { retryingClock } from "./contract-request.ts";
import { promiseAnswers } from "./provider-contract-answers.ts";
import { promiseConversations } from "./provider-contract-conversations.ts";
import { promiseFaults } from "./provider-contract-faults.ts";
import type { MakeHarness, ProviderHarness, StartHarness, StatePromise } from "./provider-harness.ts";

/**
 * What every ModelProvider promises. Each case runs against each provider, at the wire;
 * one that does not apply is skipped by name, with the reason.
 */
export function describeProviderContract(
  name: string,
  makeHarness: MakeHarness,
  skip: Readonly<Record<string, string>> = {},
): void {
  let open: ProviderHarness[] = [];
  afterEach(async () => {
    await Promise.all(open.map((harness) => harness.close()));
    open = [];
  });
  const start: StartHarness = async (clock = retryingClock()) => {
    const harness = await makeHarness(clock);
    open.push(harness);
    return harness;
  };
  const unused = new Set(Object.keys(skip));
  const promise: StatePromise = (title, body) => {
    const reason = skip[title];
    unused.delete(title);
    if (reason === undefined) test(title, body);
    else test.skip(`${title} (${reason})`, body);
  };

  describe(`${name} keeps the promises of a provider`, () => {
    promiseAnswers(start, promise);
    promiseFaults(start, promise);
    promiseConversations(start, promise);
    test("every skipped case exists", () => expect([...unused]).toEqual([]));
  });
}
