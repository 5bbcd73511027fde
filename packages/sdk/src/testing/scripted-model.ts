import { failure } from "@elwood/core/base/failure";
import type { Message } from "@elwood/core/message/message";
import type { Effort, ModelEvent, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import { playSteps, type Model, type PlayOptions } from "../model-script/play.ts";
import type { Step } from "../model-script/steps.ts";

/** A request as it was made, frozen: what a test looks at cannot have changed since. */
export interface RecordedRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly effort?: Effort;
  readonly cacheKey?: string;
}

export interface ScriptedModelOptions extends Partial<PlayOptions> {
  readonly id?: string;
}

/**
 * A model that plays a script, one answer a call.
 *
 *     const model = new ScriptedModel([
 *       [text("Let me look."), toolCall("files.file.read", { path: "notes.md" })],
 *       text("It says: water the plants."),
 *     ]);
 *     …
 *     model.assertComplete();
 *
 * A call that the script does not foresee fails the run, and `assertComplete` fails the
 * test for it, as it does for an answer that was never asked for.
 */
export class ScriptedModel implements Model {
  readonly id: string;
  readonly #answers: readonly (readonly Step[])[];
  readonly #options: PlayOptions;
  readonly #requests: RecordedRequest[] = [];

  constructor(script: readonly (Step | readonly Step[])[], options: ScriptedModelOptions = {}) {
    const { id = "scripted", model = "script", ...play } = options;
    this.id = id;
    this.#options = { model, ...play };
    this.#answers = script.map((answer) => (isStep(answer) ? [answer] : answer));
    const waits = this.#answers.flat().some((step) => step.type === "delay") || (play.paceMs ?? 0) > 0;
    if (waits && !play.clock) throw new Error("a script with delays needs a clock: pass { clock }");
  }

  /** Every request so far, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests;
  }

  chat(request: ModelRequest): AsyncIterable<ModelEvent> {
    const call = this.#requests.length;
    this.#requests.push(record(request));
    const answer = this.#answers[call];
    if (!answer) return unexpected(call + 1, this.#answers.length);
    const steps = answer.map((step) => withFullId(step, request.tools));
    return playSteps(steps, request, this.#options);
  }

  /** Throws where the script and what happened differ. */
  assertComplete(): void {
    const calls = this.#requests.length;
    const answers = this.#answers.length;
    if (calls > answers)
      throw new Error(`the scripted model was called ${calls} times; its script has ${answers} answers`);
    if (calls < answers)
      throw new Error(
        `${answers - calls} of ${answers} scripted answers were never asked for, from answer ${calls + 1} on`,
      );
  }
}

/** A script names a tool as its program does; an engine may know it by a longer id. */
function withFullId(step: Step, tools: readonly ToolSpec[]): Step {
  if (step.type !== "toolCall" || tools.some(({ toolId }) => toolId === step.toolId)) return step;
  const meant = tools.filter(({ toolId }) => toolId.endsWith(`.${step.toolId}`));
  return meant.length === 1 ? { ...step, toolId: meant[0]!.toolId } : step;
}

async function* unexpected(call: number, answers: number): AsyncGenerator<ModelEvent> {
  yield {
    type: "failed",
    failure: failure(
      "INTERNAL",
      `The scripted model did not expect call ${call}: its script has ${answers} answers.`,
    ),
    blocks: [],
  };
}

function isStep(answer: Step | readonly Step[]): answer is Step {
  return !Array.isArray(answer);
}

function record(request: ModelRequest): RecordedRequest {
  const { readBlob: _r, readText: _t, writeBlob: _w, signal: _s, ...plain } = request;
  return deepFreeze(structuredClone(plain));
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
