import type { MethodResult } from "@elwood/core/protocol/results";

type Receipt = MethodResult<"receipts.list">["receipts"][number];

/** With what its call was about, and why it came out as it did, which the receipt itself only commits to. */
export type Row = Receipt & {
  readonly about?: string | undefined;
  readonly reason?: string | undefined;
  /** How many others of the same call it stands for. */
  readonly others?: number;
};

/** The gateway tells of a receipt what its call is about, where it was asked for or allowed, and else why. */
const TELL_TARGET: ReadonlySet<string> = new Set(["tool.call.requested", "tool.call.approved"]);

/** Each receipt with what is told of it; what a call is about is told with all that are here of the call. */
export function withTexts(
  receipts: readonly Receipt[],
  texts: Readonly<Record<string, string>> = {},
): readonly Row[] {
  const targets = new Map<string, string>();
  for (const { id, type, callId } of receipts) {
    const target = TELL_TARGET.has(type) ? texts[id] : undefined;
    // The newest first: what was edited before it was allowed is what ran.
    if (callId !== undefined && target !== undefined && !targets.has(callId)) targets.set(callId, target);
  }
  return receipts.map((each) => ({
    ...each,
    about: each.callId === undefined ? undefined : targets.get(each.callId),
    reason: TELL_TARGET.has(each.type) ? undefined : texts[each.id],
  }));
}

/** The rules as they were at the first start, which the log begins with: nobody has changed anything. */
export function isFirstRules({ seq, type }: Pick<Receipt, "seq" | "type">): boolean {
  return seq === 1 && type === "policy.changed";
}

/** Of each call its newest receipt, which says how it stands. */
export function byCall(receipts: readonly Row[]): readonly Row[] {
  const told = receipts.filter((each) => !isFirstRules(each));
  const calls = Map.groupBy(told, ({ callId, id }) => callId ?? id);
  return [...calls.values()].map(([newest, ...others]) => {
    const about = [newest!, ...others].find((each) => each.about !== undefined)?.about;
    const toolId = [newest!, ...others].find(({ payload }) => payload["toolId"] !== undefined)?.payload[
      "toolId"
    ];
    const payload = toolId === undefined ? newest!.payload : { toolId, ...newest!.payload };
    return { ...newest!, payload, about, ...(others.length > 0 ? { others: others.length } : {}) };
  });
}
