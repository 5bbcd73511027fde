import type { ToolSpec } from "@elwood/core/model/model";

/**
 * The JSON of requests as bytes. Most of a short request are its tools, and those seldom change: their JSON is kept for as
 * long as their list is. Nothing of a conversation is.
 */
export class RequestBodies {
  readonly #known = new WeakMap<readonly ToolSpec[], Buffer>();

  /** One object with the fields of all three, in this order; `toolFields` is asked once for each list. */
  of(before: object, tools: readonly ToolSpec[], toolFields: () => object, after: object): Buffer {
    const known = this.#known.get(tools) ?? Buffer.from(fieldsOf(toolFields()));
    this.#known.set(tools, known);
    return Buffer.concat([
      Buffer.from(JSON.stringify(before).slice(0, -1)),
      known,
      Buffer.from(`${fieldsOf(after)}}`),
    ]);
  }
}

/** As they stand behind others. */
function fieldsOf(params: object): string {
  const text = JSON.stringify(params);
  return text === "{}" ? "" : `,${text.slice(1, -1)}`;
}
