import { say } from "../../words/en/welcome.ts";
/** The steps of the tour. What has become of each is read from the session, never assumed. */

export type StepId = "allow" | "deny" | "look" | "verify" | "connect";

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
    id: "allow",
    get title() {
      return say.allowOne;
    },
    get shows() {
      return say.aChangeThatYouDidNot;
    },
    message: "Make me a demo list",
  },
  {
    id: "deny",
    get title() {
      return say.denyOne;
    },
    get shows() {
      return say.nowSayNoTheAnswerHas;
    },
    message: "Delete demo/shopping.txt",
  },
  {
    id: "look",
    get title() {
      return say.letItLook;
    },
    get shows() {
      return say.readingChangesNothingSoItRuns;
    },
    message: "What files are here?",
  },
  {
    id: "verify",
    get title() {
      return say.verify;
    },
    get shows() {
      return say.allOfThatIsOnRecord;
    },
  },
  {
    id: "connect",
    get title() {
      return say.connectAModel;
    },
    get shows() {
      return say.aRealModelGetsTheSame;
    },
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
  if (stand === "under way") return say.itIsAtWork;
  if (stand !== "waits for you") return "";
  return id === "deny" ? say.itWaitsForYouPressD : say.itWaitsForYouPressA;
}

/** What the reader is told afterwards, by the gateway's record of the calls. */
export function wordsAfter(calls: readonly TourCall[]): string {
  const asked = calls.find(({ approval }) => approval?.required === true);
  if (asked?.status === "denied") return say.youDeniedItAndNothingWas;
  if (asked?.status === "succeeded") return say.youAllowedItOnceTheLine;
  if (asked) return say.itWasDecidedAndTheLine;
  if (calls.length === 0) return say.noToolRanTheAnswerSays;
  if (calls.some(({ status }) => status !== "succeeded")) return say.thatDidNotWorkHereAnd;
  return say.nothingWasAskedAsThePolicy;
}

/** The last step that can be shown: the first that is not over. */
export function reachable(isOver: (id: StepId) => boolean): number {
  const open = STEPS.findIndex(({ id, message }) => message !== undefined && !isOver(id));
  // Nothing has to be verified before a model is connected.
  return open === -1 ? STEPS.length - 1 : open;
}
