import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ground, type Grounded } from "@elwood/core/grounding/ground";
import type { Locale } from "@elwood/core/request/language";
import type { ActivityItem } from "@elwood/core/tool/activity";

const REPLIES = fileURLToPath(new URL("gate/replies.jsonl", import.meta.url));

/** A call as far as the check of a reply looks at it. */
type GateCall = Omit<ActivityItem, "callId" | "when" | "receiptRef" | "summary">;

/** A reply as the check saw it in a test of the whole, with what is to come of it. */
export interface GateReply {
  /** The test, or the tests that drive an Elwood from outside. */
  readonly from: string;
  readonly user: string;
  readonly reply: string;
  readonly delivered?: string;
  readonly run: readonly GateCall[];
  readonly earlier?: readonly GateCall[];
  /** What calls were given and gave back, shortened, by their numbers. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly recalled?: boolean;
  readonly attached?: boolean;
  readonly locale?: Locale;
  /** The sentences that are to be marked, in their order. */
  readonly marked: readonly string[];
  /** Sentences that may be marked or not; all others are honest. */
  readonly either?: readonly string[];
  /** Whether the model is to get one more lap; not said where it had one, or where it does not matter. */
  readonly repair?: boolean;
}

export function gateReplies(): GateReply[] {
  return readFileSync(REPLIES, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as GateReply);
}

export function groundGate(each: GateReply): Grounded {
  const { user, reply, delivered, run, earlier = [], texts = {}, locale } = each;
  return ground({
    draft: reply,
    ...(delivered === undefined ? {} : { delivered }),
    activity: run.map(whole),
    earlier: earlier.map(whole),
    callText: ({ cite }) => texts[cite] ?? "",
    recalled: each.recalled === true,
    attached: each.attached === true,
    ownerWords: user,
    ...(locale === undefined ? {} : { locale }),
  });
}

function whole(call: GateCall): ActivityItem {
  return { callId: call.cite, when: Number(call.cite.slice(1)), receiptRef: "", summary: "", ...call };
}
