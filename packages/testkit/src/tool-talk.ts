import { activityNote } from "@elwood/core/message/activity-note";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { STATUS_WORDS, type CallStatus } from "@elwood/core/tool/tool";
import type { Message } from "@elwood/core/message/message";
import type { ToolSpec } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { listen, requestOf, said } from "./contract-request.ts";

/** How a call ended, in a conversation that a test makes up. */
export interface ScriptedOutcome {
  /** The gateway's word for it: `done`, `denied` …; `refused` for a call whose input was not accepted. */
  readonly word: string;
  readonly text: string;
  /** What the call was about, as receipts name it. */
  readonly about?: string;
  /** What the activity says of the calls that a program made. */
  readonly within?: readonly string[];
}

export interface TalkResult {
  readonly calls: readonly { readonly toolId: string; readonly input: unknown }[];
  /** What the model said in the end; empty where it waits for the result of a call. */
  readonly text: string;
  /** What receipts would say of the calls. */
  readonly activity: readonly ActivityItem[];
}

/** Says something to a model and answers every call with what `came`, with the activity that the gateway would give. */
export async function talkWith(
  provider: ModelProvider,
  words: string,
  came: readonly ScriptedOutcome[],
  toolIds: readonly string[],
): Promise<TalkResult> {
  const tools: ToolSpec[] = toolIds.map((toolId) => ({
    toolId,
    description: "",
    inputSchema: { type: "object" },
  }));
  const messages: Message[] = [said("user", { type: "text", text: words })];
  const calls: { toolId: string; input: unknown }[] = [];
  const lines: ActivityItem[] = [];
  let n = 0;
  for (let lap = 0; lap <= came.length; lap++) {
    const heard = await listen(provider, requestOf({ messages, tools }));
    const { blocks } = heard.last;
    const called = blocks.find((b) => b.type === "tool_use");
    if (called?.type !== "tool_use") return { calls, text: heard.text, activity: lines };
    calls.push({ toolId: called.toolId, input: called.input });
    const next = came[lap];
    if (!next) break;
    n += 1;
    // A refused call has its number, and no line.
    const cite = next.word === "refused" ? undefined : `c${n}`;
    if (cite !== undefined)
      lines.push(item(n, `${called.toolId}${next.about ? ` → ${next.about}` : ""}: ${next.word}`));
    const within = (next.within ?? []).map((summary) => item(++n, summary));
    lines.push(...within);
    const note = activityNote(within.map((each) => ({ ...each, plain: true })));
    messages.push(said("assistant", ...blocks));
    messages.push(
      said("tool", {
        type: "tool_result",
        callId: `call_${lap + 1}`,
        status: next.word === "done" ? "ok" : "error",
        ...(cite === undefined ? {} : { cite }),
        ...(cite === undefined || next.word === STATUS_WORDS.succeeded ? {} : { word: next.word }),
        text: `${cite === undefined ? "" : `[${cite} ${called.toolId}]\n`}${next.text}${note === "" ? "" : `\n\n${note}`}`,
      }),
    );
  }
  return { calls, text: "", activity: lines };
}

const STATUSES = new Map(Object.entries(STATUS_WORDS).map(([status, word]) => [word, status as CallStatus]));
const READS = /\.(?:list|read|search|fetch|query|open|screenshot|wait|ask|choose)$|^program\./;

function item(n: number, summary: string): ActivityItem {
  const [, toolId = "", target, word = ""] = /^(\S+?)(?: → (.*))?: ([a-z ]+)$/.exec(summary) ?? [];
  const status = STATUSES.get(word);
  if (status === undefined) throw new Error(`no status is called “${word}”`);
  const risk = READS.test(toolId) ? "read" : toolId.endsWith(".delete") ? "destructive" : "write";
  return {
    cite: `c${n}`,
    callId: `call_${n}`,
    toolId,
    status,
    when: 0,
    receiptRef: `rcp_${n}`,
    ...(target === undefined ? {} : { target }),
    risk,
    summary,
  };
}
