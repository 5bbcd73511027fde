/** What a piece of streamed text turned out to be. */
export type Tagged =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly args: unknown };

const CALL_OPEN = "<tool_call>";
const CALL_CLOSE = "</tool_call>";
const THINK_OPEN = "<think>";
const THINK_CLOSE = "</think>";

/**
 * Some servers hand on what the model wrote without reading it: calls as
 * `<tool_call>{json}</tool_call>` inside the text, thinking as `<think>…</think>` before
 * it. This takes both out of the stream. Text that might be the beginning of a tag is
 * held back until it is clear; a tag that does not hold a call is text again.
 *
 * Calls are looked for only where tools were offered; thinking only at the very start.
 */
export class TaggedText {
  readonly #callsExpected: boolean;
  #state: "start" | "think" | "gap" | "text" | "call" = "start";
  #held = "";

  constructor(callsExpected: boolean) {
    this.#callsExpected = callsExpected;
  }

  take(text: string): Tagged[] {
    this.#held += text;
    const out: Tagged[] = [];
    for (let found = this.#step(); found; found = this.#step()) out.push(...found);
    return out.filter((piece) => piece.type === "call" || piece.text !== "");
  }

  /** The stream is over: whatever was held back is what it looks like. */
  end(): Tagged[] {
    const rest = this.#held;
    const state = this.#state;
    this.#held = "";
    if (rest === "" || state === "gap") return [];
    if (state === "think") return [{ type: "thinking", text: rest }];
    if (state !== "call") return [{ type: "text", text: rest }];
    // The closing tag is often cut off by the token that ends the turn.
    const call = readCall(rest);
    return [call ?? { type: "text", text: CALL_OPEN + rest }];
  }

  /** Takes one decision; undefined when more text is needed. */
  #step(): Tagged[] | undefined {
    switch (this.#state) {
      case "start": {
        const lead = this.#held.trimStart();
        if (lead.startsWith(THINK_OPEN)) return this.#enter("think", lead.slice(THINK_OPEN.length));
        if (lead === "" || THINK_OPEN.startsWith(lead)) return undefined;
        return this.#enter("text", this.#held);
      }
      case "think": {
        const at = this.#held.indexOf(THINK_CLOSE);
        if (at < 0) return this.#release("thinking", THINK_CLOSE);
        const thought: Tagged = { type: "thinking", text: this.#held.slice(0, at) };
        this.#enter("gap", this.#held.slice(at + THINK_CLOSE.length));
        return [thought];
      }
      case "gap": {
        const rest = this.#held.trimStart();
        return rest === "" ? undefined : this.#enter("text", rest);
      }
      case "text": {
        const at = this.#callsExpected ? this.#held.indexOf(CALL_OPEN) : -1;
        if (at < 0) return this.#release("text", this.#callsExpected ? CALL_OPEN : "");
        const before: Tagged = { type: "text", text: this.#held.slice(0, at) };
        this.#enter("call", this.#held.slice(at + CALL_OPEN.length));
        return [before];
      }
      case "call": {
        const at = this.#held.indexOf(CALL_CLOSE);
        if (at < 0) return undefined;
        const inside = this.#held.slice(0, at);
        this.#enter("text", this.#held.slice(at + CALL_CLOSE.length));
        return [readCall(inside) ?? { type: "text", text: CALL_OPEN + inside + CALL_CLOSE }];
      }
      default: {
        const never: never = this.#state;
        throw new Error(`unknown state ${String(never)}`);
      }
    }
  }

  #enter(state: "think" | "gap" | "text" | "call", rest: string): Tagged[] {
    this.#state = state;
    this.#held = rest;
    return [];
  }

  /** Lets go of all that cannot be the beginning of the tag. */
  #release(type: "text" | "thinking", tag: string): Tagged[] | undefined {
    const keep = overlap(this.#held, tag);
    const free = this.#held.slice(0, this.#held.length - keep);
    if (free === "") return undefined;
    this.#held = this.#held.slice(free.length);
    return [{ type, text: free }];
  }
}

/** How many characters at the end of the text could be the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let n = Math.min(text.length, tag.length - 1); n > 0; n--)
    if (text.endsWith(tag.slice(0, n))) return n;
  return 0;
}

function readCall(text: string): Tagged | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { name, arguments: args, parameters } = value as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return undefined;
  return { type: "call", name, args: args ?? parameters };
}
