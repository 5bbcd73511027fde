/** Broken input by the thousand, the same for the same seed. */
export class BrokenInput {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** From 0 up to and without `below`. */
  number(below: number): number {
    // mulberry32: small, fast, and good enough to wander through odd places.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.number(from.length)]!;
  }

  bytes(most: number): Buffer {
    return Buffer.from(Array.from({ length: this.number(most) }, () => this.number(256)));
  }

  text(most: number): string {
    return Array.from({ length: this.number(most) }, () => this.pick(ODD_CHARACTERS)).join("");
  }

  json(depth = 3): unknown {
    const kinds = depth > 0 ? 8 : 6;
    switch (this.number(kinds)) {
      case 0:
        return this.pick(ODD_VALUES);
      case 1:
        return this.number(2 ** 31) - 2 ** 30;
      case 2:
        return this.text(30);
      case 3:
        return null;
      case 4:
        return this.number(2) === 1;
      case 5:
        return this.pick(WORDS);
      case 6:
        return Array.from({ length: this.number(5) }, () => this.json(depth - 1));
      default: {
        const names = Array.from({ length: this.number(5) }, () => this.pick([...WORDS, this.text(8)]));
        return Object.fromEntries(names.map((name) => [name, this.json(depth - 1)]));
      }
    }
  }

  /** A valid frame with something wrong: a value, a key, or the text itself. */
  frame(valid: object): string {
    const text = JSON.stringify(valid);
    switch (this.number(4)) {
      case 0:
        return JSON.stringify(this.#withOddValue(valid));
      case 1:
        return this.damaged(text);
      case 2:
        return JSON.stringify(this.json());
      default:
        return this.damaged(JSON.stringify(this.#withOddValue(valid)));
    }
  }

  /** What stands behind GET, made of the parts that addresses trip over. */
  target(): string {
    return "/" + Array.from({ length: this.number(6) }, () => this.pick(ADDRESS_PARTS)).join("");
  }

  /** Text with pieces taken out, put in, doubled or cut off. */
  damaged(text: string): string {
    let out = text;
    for (let edits = 1 + this.number(3); edits > 0; edits--) {
      const at = this.number(out.length + 1);
      const length = this.number(8);
      const [before, after] = [out.slice(0, at), out.slice(at)];
      switch (this.number(5)) {
        case 0:
          out = before + after.slice(length);
          break;
        case 1:
          out = before + this.text(6) + after;
          break;
        case 2:
          out = before + after.slice(0, length) + after;
          break;
        case 3:
          out = before + this.pick(['"', "{", "}", "[", "]", ",", ":", "\\", "\\u", "\r\n", "\0"]) + after;
          break;
        default:
          out = before;
      }
    }
    return out;
  }

  #withOddValue(value: object): object {
    const copy = structuredClone(value) as Record<string, unknown>;
    const inner = copy["params"];
    const target =
      this.number(2) === 0 && typeof inner === "object" && inner !== null
        ? (inner as Record<string, unknown>)
        : copy;
    const key = this.number(3) === 0 ? this.pick(WORDS) : this.pick([...Object.keys(target), "id"]);
    // Not an assignment, which would set the prototype where the key is __proto__.
    Object.defineProperty(target, key, {
      value: this.json(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return copy;
  }
}

const WORDS = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "length",
  "id",
  "method",
  "params",
  "type",
  "auth",
  "token",
  "event",
  "error",
  "result",
  "sessionKey",
  "message",
  "parts",
  "runId",
  "before",
  "limit",
  "admin",
  "health.check",
  "chat.send",
  "sessions.get",
  "sessions.export",
  "tokens.create",
  "login.link",
];

const ODD_VALUES: readonly unknown[] = [
  "",
  " ",
  "\0",
  "\ud800",
  "\udfff\ud800",
  "﷽".repeat(50),
  "x".repeat(70_000),
  "../../etc/passwd",
  "'; DROP TABLE runs; --",
  "%s%n${7*7}{{7*7}}",
  "<script>alert(1)</script>",
  -0,
  -1,
  0.1,
  1e308,
  2 ** 53,
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { length: -1 },
  { toString: "x", valueOf: null },
];

/** One half of a pair each where a character takes two: such halves must do no harm either. */
const ODD_CHARACTERS =
  "aZ09 \t\n\r\"'\\/{}[]():;,.<>&%$#@!?*+-=_|~`^\0\u0007\u001b\u007f\u0085\u2028\u202e\ufeffß漢🙂".split("");

const ADDRESS_PARTS =
  "/ // . .. %2e %2f % %zz %00 %ff [ ] @ : ? # & = \\ * ; blobs/ login ws health app.js http:// x".split(" ");
