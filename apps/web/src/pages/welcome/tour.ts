/** The steps of the tour. What has become of each is read from the session, never assumed. */

export type StepId = "look" | "allow" | "deny" | "verify" | "connect";

export interface TourStep {
  readonly id: StepId;
  readonly title: string;
  /** What the step shows, in one sentence. */
  readonly shows: string;
  /** What is said to the demo model. */
  readonly message?: string;
}

export const STEPS: readonly TourStep[] = [
  {
    id: "look",
    title: "Let it look",
    shows: "Reading changes nothing, so it runs by itself; the line under the answer says what ran.",
    message: "What files are here?",
  },
  {
    id: "allow",
    title: "Allow one",
    shows: "A change that you did not spell out waits for you, and shows beforehand what would be different.",
    message: "Make me a demo list",
  },
  {
    id: "deny",
    title: "Deny one",
    shows: "Now say no: the answer has to admit that nothing was done, and Elwood's own record says so too.",
    message: "Sort my demo list",
  },
  {
    id: "verify",
    title: "Verify",
    shows: "All of that is on record in a signed chain, which your browser can recompute by itself.",
  },
  {
    id: "connect",
    title: "Connect a model",
    shows:
      "A real model gets the same questions asked and the same receipts written; only the words get better.",
  },
];

/** As much of a turn as the tour looks at. */
export interface TourTurn {
  readonly state: "waiting" | "live" | "settled";
}

/** As much of the gateway's record of a call as the tour looks at. */
export interface TourCall {
  readonly status: string;
  readonly approval?: { readonly required: boolean } | undefined;
}

export type StepState = "to say" | "under way" | "waits for you" | "over";

/** The state of a step that sends a message. */
export function stepStateOf(turn: TourTurn | undefined, waiting: boolean): StepState {
  if (!turn) return "to say";
  if (turn.state === "settled") return "over";
  return waiting ? "waits for you" : "under way";
}

/** What the reader is told meanwhile. */
export function wordsMeanwhile(id: StepId, stand: StepState): string {
  if (stand === "under way") return "It is at work.";
  if (stand !== "waits for you") return "";
  return id === "deny"
    ? "It waits for you. Press D while the card has the focus, or its button Deny."
    : "It waits for you. Press A while the card has the focus, or its button Allow.";
}

/** What the reader is told afterwards, by the gateway's record of the calls. */
export function wordsAfter(calls: readonly TourCall[]): string {
  const asked = calls.find(({ approval }) => approval?.required === true);
  if (asked?.status === "denied")
    return "You denied it, and nothing was changed. The answer says so, and so does the line under it, which no model writes.";
  if (asked?.status === "succeeded")
    return "You allowed it, once. The line under the answer is made from receipts; open it to see each call.";
  if (asked) return "It was decided, and the line under the answer says how it ended.";
  if (calls.length === 0) return "No tool ran. The answer says why; you can go on all the same.";
  if (calls.some(({ status }) => status !== "succeeded"))
    return "That did not work here, and the answer says why. You can go on all the same.";
  return "Nothing was asked: as the policy stands, this runs by itself.";
}

/** The last step that can be shown: the first that is not over. */
export function reachable(isOver: (id: StepId) => boolean): number {
  const open = STEPS.findIndex(({ id, message }) => message !== undefined && !isOver(id));
  // Nothing has to be verified before a model is connected.
  return open === -1 ? STEPS.length - 1 : open;
}
