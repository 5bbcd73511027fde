import type { Message } from "@elwood/core/message/message";
import type { ToolSpec } from "@elwood/core/model/model";
import { ExchangeJson } from "./earlier-exchanges.ts";

/** A request's fields in the order in which they are sent. */
export interface BodyParts {
  /** They stand before the tools. */
  readonly before: object;
  readonly tools: readonly ToolSpec[];
  /** Asked once for each list of tools. */
  readonly toolFields: () => object;
  readonly conversation: ConversationPart;
  /** They stand behind the conversation. */
  readonly after: object;
}

/** The field that holds the conversation. */
export interface ConversationPart {
  readonly name: string;
  readonly messages: readonly Message[];
  /** Items that come first, whatever is said. */
  readonly head?: readonly object[];
  /** Of some exchanges that others follow; undefined where they cannot be written without these. */
  readonly earlier: (part: readonly Message[]) => readonly object[] | undefined;
  /** Of all that are left. `isBegun`: earlier ones stand before them. */
  readonly rest: (messages: readonly Message[], isBegun: boolean) => readonly object[];
}

/**
 * The JSON of requests as bytes. Most of a short request are its tools, and those seldom change: their JSON is kept for as
 * long as their list is. Most of a long one is what was said before: see ExchangeJson.
 */
export class RequestBodies {
  readonly #tools = new WeakMap<readonly ToolSpec[], Buffer>();
  readonly #exchanges = new ExchangeJson();

  of({ before, tools, toolFields, conversation, after }: BodyParts): Buffer {
    const known = this.#tools.get(tools) ?? Buffer.from(fieldsOf(toolFields()));
    this.#tools.set(tools, known);
    const said = this.#conversation(conversation);
    return Buffer.concat([
      Buffer.from(JSON.stringify(before).slice(0, -1)),
      known,
      Buffer.from(`,${JSON.stringify(conversation.name)}:[${said}]${fieldsOf(after)}}`),
    ]);
  }

  /** Of what was sent before it is known that it brings none along. */
  mayBringFiles(messages: readonly Message[]): readonly Message[] {
    return this.#exchanges.mayBringFiles(messages);
  }

  #conversation({ messages, head = [], earlier, rest: restOf }: ConversationPart): string {
    const { json, rest } = this.#exchanges.of(messages, earlier);
    return [itemsOf(head), json, itemsOf(restOf(rest, json !== ""))].filter((part) => part !== "").join(",");
  }
}

function itemsOf(items: readonly object[]): string {
  return JSON.stringify(items).slice(1, -1);
}

/** As they stand behind others. */
function fieldsOf(params: object): string {
  const text = JSON.stringify(params);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}
