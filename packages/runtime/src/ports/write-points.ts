/**
 * Names for the dangerous instants: every durable write of the stores, the ledger and the
 * vault. Whoever wraps them can look at, delay, refuse or outlive each write, by name:
 * `runs.end`, `transcripts.append`, `ledger:requested+started`. A unit of the ledger is
 * named by its receipts, or by its changes where it has none.
 *
 * Nothing in the product does so; tests that pull the plug, and programs that embed
 * Elwood over stores of their own, do.
 */
export interface AroundWrites {
  write<T>(name: string, act: () => Promise<T>): Promise<T>;
  /** Everything else that is asked of them; goes straight through unless told. */
  read?<T>(act: () => Promise<T>): Promise<T>;
}

const WRITES: Readonly<Record<string, readonly string[]>> = {
  sessions: ["create", "rename", "bind", "pin", "archive", "configure", "trash", "restore", "purge"],
  runs: ["accept", "claim", "setWaiting", "addStep", "setPartial", "end", "noteOffset", "commit"],
  transcripts: ["append", "save", "truncate", "remove"],
  blobs: ["put"],
  vault: ["storeSecrets", "drop"],
  ledger: ["write"],
  programs: ["begin", "intend", "settle", "drop"],
  outbox: ["open", "revise", "mark", "adopt", "postpone", "settle", "close", "moveChat", "prune"],
  inbox: ["plan", "note", "prune"],
  channelStates: ["write"],
  pairings: ["put", "remove"],
  jobs: ["create", "change", "remove", "take", "record", "settle"],
};

/** The same parts, with every write announced. Parts and methods that are not listed above are left as they are. */
export function withWritePoints<T extends object>(parts: T, around: AroundWrites): T {
  const wrapped = Object.entries(parts).map(([part, store]: [string, unknown]) => {
    const writes = WRITES[part];
    return [part, writes && isObject(store) ? wrapPart(part, store, writes, around) : store];
  });
  // The proxies have the shape of what they stand before.
  return { ...parts, ...(Object.fromEntries(wrapped) as Partial<T>) };
}

function wrapPart(part: string, store: object, writes: readonly string[], around: AroundWrites): object {
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== "function") return value;
      const method = String(property);
      const act = (args: unknown[]) => () => Reflect.apply(value, target, args) as Promise<unknown>;
      if (writes.includes(method)) {
        return (...args: unknown[]) =>
          around.write(part === "ledger" ? unitName(args[1]) : `${part}.${method}`, act(args));
      }
      if (!around.read) return (...args: unknown[]): unknown => Reflect.apply(value, target, args);
      return (...args: unknown[]) => around.read?.(act(args));
    },
  });
}

function unitName(unit: unknown): string {
  const { receipts, changes } = unit as {
    readonly receipts: readonly { readonly type: string }[];
    readonly changes: readonly { readonly kind: string }[];
  };
  const names =
    receipts.length > 0
      ? receipts.map((receipt) => receipt.type.replace(/^tool\.call\./, ""))
      : changes.map((change) => change.kind);
  return `ledger:${names.join("+")}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
