import { z } from "zod";
import type { Risk, TrustLabels } from "../tool/tool.ts";

/**
 * What came together in a run: words that others may have written, things that only the
 * owner should see, and an effect on the world. All three at once is what an attacker needs.
 */
export const ruleOfTwoSchema = z.object({
  untrustedInput: z.boolean(),
  privateData: z.boolean(),
  sideEffect: z.boolean(),
  /** Side effects that nobody was asked about, since the owner had said or granted them. */
  unasked: z.number().int(),
});
export type RuleOfTwo = z.infer<typeof ruleOfTwoSchema>;

/** A call that began, as far as it matters here. */
export interface StartedCall {
  /** Unknown for a tool that is gone, which is then believed nothing. */
  readonly labels: Pick<TrustLabels, "egress" | "output" | "sensitive"> | undefined;
  readonly risk: Risk;
  /** False for a call of an earlier run, whose result the model still has before it. */
  readonly ofRun: boolean;
  readonly asked: boolean;
}

/** `strangers`: the message itself brought words that the owner did not type. */
export function ruleOfTwo(calls: readonly StartedCall[], strangers: boolean): RuleOfTwo {
  const effects = calls.filter(
    ({ ofRun, risk, labels }) => ofRun && (risk !== "read" || labels?.egress !== "none"),
  );
  return {
    untrustedInput: strangers || calls.some(({ labels }) => labels?.output !== "trusted"),
    privateData: calls.some(({ labels }) => labels?.sensitive !== false),
    sideEffect: effects.length > 0,
    unasked: effects.filter(({ asked }) => !asked).length,
  };
}
