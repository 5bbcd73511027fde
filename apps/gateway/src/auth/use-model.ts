import { fail, FailureError } from "@elwood/core/base/failure";
import { formatModelRef, parseModelRef } from "@elwood/core/model/model";
import type { ChosenModel } from "./chosen-model.ts";
import type { Credentials } from "./credentials.ts";
import type { TestPassed, TestWithoutKey } from "./auth-service.ts";

export interface UseModelDeps {
  /** The model that the configuration names; it has the last word. */
  readonly configured: () => string | undefined;
  readonly chosen: ChosenModel;
  readonly credentials: Pick<Credentials, "lookup" | "endpoint">;
  readonly test: TestWithoutKey;
}

/** Chooses the model that answers from now on, after it answered once; null goes back to what the keys decide. */
export type UseModel = (model: string | null) => Promise<Partial<TestPassed>>;

export function makeUseModel({ configured, chosen, credentials, test }: UseModelDeps): UseModel {
  return async (wanted) => {
    const named = configured();
    if (named !== undefined) {
      fail(
        "CONFLICT",
        `The configuration names the model (model: ${named}), and it has the last word. Nothing was changed. Take that line out, or change it there.`,
      );
    }
    if (wanted === null) {
      await chosen.choose(undefined);
      return {};
    }
    const ref = parseModelRef(wanted);
    if (!ref.ok) fail("INVALID_INPUT", `${ref.error} Nothing was changed.`);
    const { provider, model } = ref.value;
    if (provider === "demo") {
      await chosen.choose(formatModelRef(ref.value));
      return { model: formatModelRef(ref.value), ms: 0 };
    }
    const found = await credentials.lookup(provider);
    if (!found.ok) throw new FailureError(found.error);
    const passed = await test(provider, found.value, await credentials.endpoint(provider), model);
    if (!passed.ok) throw new FailureError(passed.error);
    await chosen.choose(formatModelRef(ref.value));
    return passed.value;
  };
}
