import type { MethodResult } from "@elwood/core/protocol/results";

type Receipt = MethodResult<"receipts.list">["receipts"][number];

/** With what its call was about, which the receipt itself only commits to. */
export type Row = Receipt & {
  readonly about?: string | undefined;
  /** How many others of the same call it stands for. */
  readonly others?: number;
};

/** Of each call its newest receipt, which says how it stands. */
export function byCall(receipts: readonly Row[]): readonly Row[] {
  const calls = Map.groupBy(receipts, ({ callId, id }) => callId ?? id);
  return [...calls.values()].map(([newest, ...others]) => {
    const about = [newest!, ...others].find((each) => each.about !== undefined)?.about;
    const toolId = [newest!, ...others].find(({ payload }) => payload["toolId"] !== undefined)?.payload[
      "toolId"
    ];
    const payload = toolId === undefined ? newest!.payload : { toolId, ...newest!.payload };
    return { ...newest!, payload, about, ...(others.length > 0 ? { others: others.length } : {}) };
  });
}
