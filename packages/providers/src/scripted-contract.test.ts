import type { ModelRequest } from "@elwood/core/model/model";
import { playSteps } from "@elwood/sdk/model-script/play";
import { ScriptedModel } from "@elwood/sdk/testing/scripted-model";
import {
  disconnect,
  error,
  image,
  stop,
  text,
  thinking,
  toolCall,
  usage,
  wait,
  type Step,
} from "@elwood/sdk/model-script/steps";
import { describeProviderContract } from "@elwood/testkit/provider-contract";
import type { ContractAnswer, MakeHarness } from "@elwood/testkit/provider-harness";

/** The scripted model is a provider like any other, as far as it has no wire: what holds for them holds for it. */
const makeHarness: MakeHarness = async () => {
  const queue: (readonly Step[])[] = [];
  let tries = 0;
  return {
    provider: {
      id: "scripted",
      chat(request: ModelRequest) {
        if (request.signal.aborted) return playSteps([], request, { model: "script" });
        tries += 1;
        return new ScriptedModel([queue.shift() ?? []]).chat(request);
      },
    },
    will: (...answers) => void queue.push(...answers.map(toSteps)),
    tries: () => tries,
    untilTries: async () => {},
    abandoned: () => true,
    sent: () => "",
    assertDone() {
      if (queue.length > 0) throw new Error("an answer was never asked for");
    },
    close: async () => {},
  };
};

function toSteps(answer: ContractAnswer): Step[] {
  const said = (answer.say ?? []).flatMap((part): Step[] => {
    if ("text" in part) return [text(part.text)];
    if ("thinking" in part) return [thinking(part.thinking)];
    if ("image" in part) return [image(part.image)];
    if ("wait" in part) return [wait(part.wait.opened)];
    if ("unknownEvent" in part) return [];
    return [toolCall(part.tool, part.input ?? {}, part.json === undefined ? {} : { malformed: part.json })];
  });
  const { fault } = answer;
  if (answer.usage) said.push(usage(answer.usage));
  if (answer.stop) said.push(stop(answer.stop));
  if (fault === "cut") said.push(disconnect());
  else if (fault === "bad-json") said.push(error("BAD_REPLY"));
  else if (fault && fault !== "silence" && fault !== "overloaded-after-200") said.push(error(fault));
  return said;
}

const noRetries = "a script tries nothing again unless a step says so";
const noWire = "nothing goes over a wire";

describeProviderContract("ScriptedModel", makeHarness, {
  "RATE_LIMITED is tried again, so often and no more": noRetries,
  "OVERLOADED is tried again, so often and no more": noRetries,
  "UPSTREAM_ERROR is tried again, so often and no more": noRetries,
  "a provider that never answers is TIMEOUT, and asked once more": noRetries,
  "a provider that falls silent half-way is TIMEOUT, and not asked again":
    "a script is never silent by mistake",
  "after a passing fault the answer comes, and only it": noRetries,
  "an error after 200 voids what was streamed before the next try": noRetries,
  "a cut stream is tried again": noRetries,
  "the provider's own wish for a pause is honoured": noRetries,
  "a pause that is too long is told instead of waited for": noRetries,
  "a stop during the pause is heard at once": noRetries,
  "text that is passed on as it comes is not kept beyond its beginning":
    "a script holds all its words anyway",
  "events of an unknown type do no harm": noWire,
  "pictures of the owner and of a tool reach the model": noWire,
  "its own thinking goes back untouched": noWire,
  "another provider's thinking is left out": noWire,
});
