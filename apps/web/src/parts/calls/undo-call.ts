import type { EventData } from "@elwood/core/protocol/events";
import type { AppContext } from "../../app/context.ts";

/** Takes the effect of a call back, and says how that went. Answers whether the gateway was heard. */
export async function undoCall(app: AppContext, callId: string): Promise<boolean> {
  const answer = await app.attempt(() => app.link.call("calls.undo", { callId }));
  if (!answer) return false;
  app.toasts.show(answer.text, { tone: answer.ok ? "info" : "bad" });
  return true;
}

/** Calls back when the effect of a call was taken back, wherever somebody asked for that. */
export function onUndone(
  { link }: AppContext,
  act: (undone: EventData<"call.undone">) => unknown,
): () => void {
  return link.onPush(({ event, data }) => event === "call.undone" && act(data));
}
