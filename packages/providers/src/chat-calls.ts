import type { ToolUseBlock } from "@elwood/core/message/message";
import { fromWireName } from "@elwood/core/model/model";
import { LIMITS } from "@elwood/core/base/limits";
import type { Delta } from "./attempt.ts";
import { BadReply } from "./read-failure.ts";
import { readArgs, toolUse } from "./tool-args.ts";

/** A piece of a call as servers send it: any field may be missing, and arguments may be an object. */
export interface CallPiece {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown } | null;
}

interface Call {
  id: string;
  name: string;
  /** A string that grows, or an object that came whole. */
  args: unknown;
}

/**
 * Puts tool calls together from their pieces. OpenAI numbers them by `index`; others
 * leave it out or send 0 for every call, leave ids out, or repeat the name. So a piece
 * belongs to a call by its id, else by what it continues, else by the order of arrival.
 */
export class ChatCalls {
  readonly #calls: Call[] = [];
  readonly #lastAt = new Map<number, Call>();

  get size(): number {
    return this.#calls.length;
  }

  take(piece: CallPiece): Delta[] {
    const call = this.#find(piece);
    const args = piece.function?.arguments;
    if (typeof args === "string") call.args = typeof call.args === "string" ? call.args + args : args;
    else if (args !== undefined && args !== null) call.args = args;
    const json = typeof args === "string" ? args : args ? JSON.stringify(args) : "";
    if (json === "") return [];
    return [{ type: "tool_args", index: this.#calls.indexOf(call), toolId: fromWireName(call.name), json }];
  }

  /** A call that was found whole, in text. */
  add(name: string, args: unknown): void {
    this.#open({ function: { name, arguments: args } }).args = args;
  }

  blocks(): ToolUseBlock[] {
    return this.#calls
      .filter((call) => call.name !== "")
      .map((call, at) => toolUse(call.id || `call_${at}`, call.name, call.args));
  }

  #find(piece: CallPiece): Call {
    const { index } = piece;
    const id = piece.id ?? "";
    const name = piece.function?.name ?? "";
    const byId = id === "" ? undefined : this.#calls.find((call) => call.id === id);
    if (byId) return byId;
    const here = typeof index === "number" ? this.#lastAt.get(index) : this.#calls.at(-1);
    if (!here) return this.#open(piece);
    if (id !== "" && here.id === "" && !isWhole(here)) {
      here.id = id;
      here.name ||= name;
      return here;
    }
    if (id !== "" && name !== "") return this.#open(piece);
    // A name without an id: the same call said again while it streams, or the next one.
    const saidAgain = name === here.name && !isWhole(here);
    if (name !== "" && here.name !== "" && !saidAgain) return this.#open(piece);
    here.name ||= name;
    return here;
  }

  #open(piece: CallPiece): Call {
    if (this.#calls.length >= LIMITS.modelBlocksMax) throw new BadReply("too many tool calls");
    const call: Call = { id: piece.id ?? "", name: piece.function?.name ?? "", args: "" };
    this.#calls.push(call);
    if (typeof piece.index === "number") this.#lastAt.set(piece.index, call);
    return call;
  }
}

/** Arguments that parse are complete: JSON has no longer form that begins with an object. */
function isWhole(call: Call): boolean {
  if (typeof call.args !== "string") return true;
  return call.args.trim() !== "" && readArgs(call.args).malformed === undefined;
}
