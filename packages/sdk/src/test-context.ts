import { ToolError } from "./tool-answer.ts";
import type { ToolContext } from "./tool.ts";

/**
 * A context for tests of a tool. Without a `fetch` of the test's own every request is
 * refused, so that a test that forgets one fails instead of reaching out.
 */
export function testContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    callId: "call_test",
    session: "session_test",
    idempotencyKey: "key_test",
    signal: new AbortController().signal,
    progress: () => {},
    fetch: async () => {
      throw new ToolError(
        "no_web",
        "A test gives its tool the answers itself: testContext({ fetch: async () => … }).",
      );
    },
    secrets: {},
    ...given,
  };
}
