import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type InputRequest,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { cardAsText } from "@elwood/core/card/card-text";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { z } from "zod";
import type { AskedRun, ProgramCaller } from "../methods/program-caller.ts";

/** A run that a host waits for, and what it has shown its user of what the owner is asked. */
export interface ShownRun {
  readonly sessionKey: string;
  readonly runId: string;
  readonly shown: readonly string[];
}

/** Seals `ShownRun` for the host, which sends it back: nobody else's, and for no other token. */
export type ShownRuns = RequestStateCodec<ShownRun>;

const KEY = "approval";
/** A run that asks more often is waited for with `assistant.result`. */
const SHOWN_MAX = 8;
const decisionSchema = z.object({ decision: z.enum(["allow once", "deny"]) });

const envelopeSchema = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    elicitation: z.object({ form: z.looseObject({}).optional(), url: z.looseObject({}).optional() }),
  }),
});
type Ways = z.infer<typeof envelopeSchema>[typeof CLIENT_CAPABILITIES_META_KEY]["elicitation"];

/** How the host can show a question; undefined where it cannot. */
export function canShow(context: ServerContext): Ways | undefined {
  const said = envelopeSchema.safeParse(context.mcpReq.envelope);
  return said.success ? said.data[CLIENT_CAPABILITIES_META_KEY].elicitation : undefined;
}

/**
 * What the owner is asked, as a question for the host to show: with a link to where the owner decides, and, for
 * a host that the owner made a token with the scope `approve` for, the card and the two answers. Undefined where
 * nothing new waits.
 */
export async function approvalToShow(
  caller: ProgramCaller,
  run: AskedRun,
  shown: readonly string[],
  context: ServerContext,
  codec: ShownRuns,
): Promise<InputRequiredResult | undefined> {
  const can = canShow(context);
  if (can === undefined || run.status !== "waiting" || shown.length >= SHOWN_MAX) return undefined;
  const { sessionKey, runId } = run;
  const next = (await caller.pending(sessionKey)).find(({ approvalId }) => !shown.includes(approvalId));
  if (next === undefined) return undefined;
  const state: ShownRun = { sessionKey, runId, shown: [...shown, next.approvalId] };
  return inputRequired({
    inputRequests: { [KEY]: question(caller, next, can) },
    requestState: await codec.mint(state, context),
  });
}

/**
 * Passes on what was answered to the question before, where the host may decide; anything but a clear answer
 * decides nothing. Whether it is worth waiting on: who turned the question away has nothing under way.
 */
export async function takeAnswer(
  caller: ProgramCaller,
  { shown }: ShownRun,
  context: ServerContext,
): Promise<boolean> {
  const answer = inputResponse(context.mcpReq.inputResponses, KEY);
  const approvalId = shown.at(-1);
  if (answer.kind !== "elicit" || answer.action !== "accept") return false;
  if (!caller.mayDecide || approvalId === undefined) return true;
  const decided = decisionSchema.safeParse(answer.content);
  if (decided.success) await caller.decide(approvalId, decided.data.decision === "allow once");
  return decided.success;
}

function question(caller: ProgramCaller, approval: WireApproval, can: Ways): InputRequest {
  const { card, kind, confirm, showable } = approval;
  const url = caller.approvalsLink();
  const canForm = can.form !== undefined || can.url === undefined;
  // As in a chat: what is not shown whole, or wants a word typed, is decided where it is.
  const canDecide = kind === "approval" && showable && card.whole && confirm === undefined;
  if (caller.mayDecide && canForm && canDecide)
    return inputRequired.elicit({
      message: `Elwood asks its owner:\n${cardAsText(card, Infinity)}\nElsewhere: ${url}`,
      requestedSchema: decisionSchema,
    });
  const message = `Elwood waits for its owner, who decides at ${url}: ${card.title}`;
  if (can.url !== undefined) return inputRequired.elicitUrl({ message, url });
  return inputRequired.elicit({ message, requestedSchema: { type: "object", properties: {} } });
}
