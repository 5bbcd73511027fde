import { tmpdir } from "node:os";

/** What differs from run to run, and the word that stands for it. The first alternative that fits counts. */
const VARYING = new RegExp(
  [
    String.raw`(?<id>\b[a-z]{2,6}_[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z]))`,
    String.raw`(?<hash>\b[0-9a-f]{64}\b)`,
    String.raw`(?<frame>(?<=(?:\[|· )untrusted |\[end )[0-9a-f]{4,16}(?=\]))`,
    String.raw`(?<short>\b[0-9a-f]{16}\b)`,
    String.raw`(?<tail>\b[0-9a-hjkmnp-tv-z]{8}\b)`,
    String.raw`(?<pid>\bpid \d+)`,
    String.raw`(?<host>\b127\.0\.0\.1:\d+)`,
    String.raw`(?<ms>\b1[6-9]\d{11}\b)`,
    String.raw`(?<key>\b(?:elw|sha256|ed25519)[_:-][A-Za-z0-9+/_=-]{16,})`,
    String.raw`(?<bytes>(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]*\d)(?=[A-Za-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{40,}={0,2})`,
    String.raw`(?<time>\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)`,
    String.raw`(?<date>\b\d{4}-\d\d-\d\d\b)`,
    String.raw`(?<ago>\b(?:just now|now|\d+ (?:seconds?|minutes?) ago|in \d+ (?:seconds?|minutes?|hours?|days?)))`,
    String.raw`(?<looked>(?<=in the bytes of )\d+ files \(\d+ [KM]B\))`,
    String.raw`(?<took>\b\d+(?:\.\d+)? ?(?:ms|s)\b)`,
  ].join("|"),
  "g",
);

/** Fields that say how long something took, where on the machine it is or how large the machine's files are. */
const MEASURED = new Set([
  "pid",
  "port",
  "ms",
  "uptime",
  "delayMs",
  "uptimeMs",
  "uptimeS",
  "uptimeSeconds",
  "durationMs",
  "tookMs",
  "waitedMs",
  "elapsedMs",
  "modelMs",
  "toolMs",
  "totalMs",
  "firstTokenMs",
]);
/** How much of an id the command line prints. */
const TAIL_CHARS = 8;
/** A time in milliseconds of this century is no other number. */
const TIME_MS = { from: 1_600_000_000_000, to: 4_000_000_000_000 };

/**
 * Gives everything that differs from run to run a name that does not: the first session that is
 * met is `ses_1`, the first hash `hash_1`. Times have no numbers, since two of them may or may
 * not fall into the same millisecond.
 */
export class Normaliser {
  readonly #names = new Map<string, string>();
  /** The end of an id, as the command line prints it, and its name. */
  readonly #tails = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #places: readonly (readonly [string, string])[];

  /** @param places texts of this run, such as its folder, and what stands for them. */
  constructor(places: Readonly<Record<string, string>>) {
    this.#places = [...Object.entries(places), [tmpdir(), "{tmp}"] as const];
  }

  text(text: string): string {
    let placed = text;
    for (const [place, name] of this.#places) placed = placed.replaceAll(place, name);
    return placed.replace(VARYING, (found, ...rest) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      if (groups["time"] !== undefined || groups["ms"] !== undefined) return "{time}";
      if (groups["pid"] !== undefined) return "pid {pid}";
      if (groups["host"] !== undefined) return "{another host}";
      if (groups["tail"] !== undefined) return this.#tails.get(found) ?? found;
      if (groups["date"] !== undefined) return "{date}";
      if (groups["ago"] !== undefined) return "{ago}";
      // Databases have files beside them that come and go.
      if (groups["looked"] !== undefined) return "{files}";
      if (groups["took"] !== undefined) return "{took}";
      if (groups["id"] !== undefined) return this.#name(found.slice(0, found.indexOf("_")), found);
      if (groups["frame"] !== undefined) return this.#name("frame", found);
      return this.#name(groups["hash"] !== undefined ? "hash" : "bytes", found);
    });
  }

  value(value: unknown, key = ""): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") {
      if (MEASURED.has(key)) return `{${key}}`;
      return Number.isInteger(value) && value > TIME_MS.from && value < TIME_MS.to ? "{time}" : value;
    }
    if (Array.isArray(value)) return value.map((item) => this.value(item, key));
    if (typeof value !== "object" || value === null) return value;
    // Where the log stood counts the receipts of all runs before.
    if (key === "log" && "size" in value) return this.value({ ...value, size: "{size of the log}" });
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.text(name), this.value(item, name)]),
    );
  }

  #name(kind: string, found: string): string {
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = `${kind}_${count}`;
    this.#names.set(found, name);
    if (found.includes("_")) this.#tails.set(found.slice(-TAIL_CHARS), `{end of ${name}}`);
    return name;
  }
}
