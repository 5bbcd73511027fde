import type { Clock, ModelProvider } from "@elwood/runtime/ports/ports";
import type { Rule } from "@elwood/sdk/model-script/rule-model";

export const DEMO_PACE_MS = 8;

export interface DemoOptions {
  readonly clock: Clock;
  /** Pause between two words; 0 answers at once. */
  readonly paceMs?: number;
  /** More rules; they are asked first. */
  readonly rules?: readonly Rule[];
}

/**
 * The demo model, `demo/scripted`: fixed answers and simple scenarios with real tools, no key,
 * no network. It says what it is with its first reply in every session. Its script is
 * loaded when it is first asked.
 */
export function makeDemo(options: DemoOptions): ModelProvider {
  let model: Promise<ModelProvider> | undefined;
  return {
    id: "demo",
    async *chat(request) {
      model ??= import("./demo-model.ts").then(({ makeDemoModel }) => makeDemoModel(options));
      yield* (await model).chat(request);
    },
  };
}
