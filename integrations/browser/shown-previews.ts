/**
 * What the owner was last shown of each pending call. A page can change between preview and action, so
 * the action compares again and does nothing if the element differs.
 */
export class ShownPreviews {
  readonly #max: number;
  readonly #shown = new Map<string, string>();

  constructor(max: number) {
    this.#max = max;
  }

  keep(session: string, tool: string, input: object, identity: string): void {
    const key = keyOf(session, tool, input);
    this.#shown.delete(key);
    this.#shown.set(key, identity);
    const [oldest] = this.#shown.keys();
    if (oldest !== undefined && this.#shown.size > this.#max) this.#shown.delete(oldest);
  }

  /** Once: what was shown for one call says nothing about the next. */
  take(session: string, tool: string, input: object): string | undefined {
    const key = keyOf(session, tool, input);
    const shown = this.#shown.get(key);
    this.#shown.delete(key);
    return shown;
  }
}

function keyOf(session: string, tool: string, input: object): string {
  const given = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([session, tool, given]);
}
