/** So many values by key; of more, the one that was asked for or set longest ago goes. */
export class RecentlyUsed<Value extends object> {
  readonly #max: number;
  readonly #kept = new Map<string, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): Value | undefined {
    const value = this.#kept.get(key);
    if (value) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= this.#max && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, value);
  }
}
