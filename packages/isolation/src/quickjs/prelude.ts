/** What the engine's host offers the prelude. Programs may get hold of it and gain nothing: every argument is checked outside. */
export interface Bridge {
  /** The call's index; -1 where the program is over, -2 where the input is not well-formed text. */
  call(kind: string, name: string, json: string): number;
  line(level: string, text: string): void;
  returned(json: string | undefined): void;
  threw(name: string, message: string, stack: string): void;
}

export interface PreludeSettings {
  readonly names: readonly { readonly path: readonly string[]; readonly toolId: string }[];
  readonly search: string;
  readonly describe: string;
  readonly startedAt: number;
  readonly timeZone: string;
  readonly sleepMsMax: number;
}

/**
 * Runs inside the engine before the program does, from its own source text: it may name
 * nothing from outside itself. It builds `tools`, `console` and `sleep`, takes away what
 * would make a second execution differ or compile text that was never checked, and keeps
 * the few intrinsics that it needs, so that a program which overwrites them fools only
 * itself.
 */
export function prelude(
  call: Bridge["call"],
  line: Bridge["line"],
  returned: Bridge["returned"],
  threw: Bridge["threw"],
  settingsJson: string,
): object {
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze, getPrototypeOf } = Object;
  const { min } = Math;
  const now = Date.now;
  const PromiseOf = Promise;
  const ErrorOf = Error;
  const TypeErrorOf = TypeError;
  const EvalErrorOf = EvalError;
  const text = String;
  const number = Number;
  const settings = parse(settingsJson) as PreludeSettings;
  // No prototype: a setter that a program puts on Object.prototype is not met here.
  const waiting = create(null) as Record<number, (value: unknown) => void>;

  function ask(kind: string, name: string, json: string): Promise<unknown> {
    const index = call(kind, name, json);
    if (index === -1) for (;;); // over: the host ends the engine at the next look
    if (index === -2) throw new TypeErrorOf("The input holds half of a surrogate pair, which is no text.");
    return new PromiseOf((resolve) => {
      waiting[index] = resolve;
    });
  }

  function inputOf(input: unknown): string {
    const json = stringify(input === undefined ? {} : input) as string | undefined;
    if (json === undefined) throw new TypeErrorOf("The input must be plain data.");
    return json;
  }

  function put(target: object, key: string, value: unknown): void {
    defineProperty(target, key, { value, enumerable: true, writable: false, configurable: false });
  }

  function buildTools(): object {
    const tools = create(null) as Record<string, unknown>;
    const made: object[] = [tools];
    for (let n = 0; n < settings.names.length; n++) {
      const { path, toolId } = settings.names[n]!;
      let place = tools;
      for (let i = 0; i < path.length - 1; i++) {
        const key = path[i]!;
        if (place[key] === undefined) {
          const inner = create(null) as Record<string, unknown>;
          put(place, key, inner);
          made[made.length] = inner;
        }
        place = place[key] as Record<string, unknown>;
      }
      put(
        place,
        path[path.length - 1]!,
        freeze((input: unknown) => ask("tool", toolId, inputOf(input))),
      );
    }
    put(
      tools,
      settings.search,
      freeze((input: unknown) => ask("search", "", inputOf(input))),
    );
    put(
      tools,
      settings.describe,
      freeze((input: unknown) => ask("describe", "", inputOf(input))),
    );
    for (let n = 0; n < made.length; n++) freeze(made[n]);
    return tools;
  }

  function sleep(ms: unknown): Promise<unknown> {
    const wanted = number(ms);
    return ask("sleep", "", text(wanted > 0 ? min(wanted, settings.sleepMsMax) : 0));
  }

  /** What `must` throws, so that a program can stop at the first failure and still say which. */
  class ProgramError extends ErrorOf {
    constructor(error: unknown) {
      const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
      super(`${text(message ?? "This is no Result.")} (${text(code ?? "no_result")})`);
      put(this, "name", "ProgramError");
      put(this, "error", error);
    }
  }

  function must(result: unknown): unknown {
    const given = result as { ok?: unknown; value?: unknown; error?: unknown } | null | undefined;
    if (given?.ok === true) return given.value;
    throw new ProgramError(given?.error);
  }

  function shown(value: unknown): string {
    if (typeof value === "string") return value;
    if (value instanceof ErrorOf) return `${text(value.name)}: ${text(value.message)}`;
    if (typeof value !== "object" || value === null) return text(value);
    const json: string | undefined = stringify(value);
    return json ?? text(value);
  }

  function buildConsole(): object {
    const made = create(null) as object;
    const levels = { log: "info", info: "info", debug: "debug", warn: "warn", error: "error" };
    for (const name of ["log", "info", "debug", "warn", "error"] as const) {
      const level = levels[name];
      const write = (...values: unknown[]) => {
        let whole = "";
        for (let n = 0; n < values.length; n++) {
          let part: string;
          try {
            part = shown(values[n]);
          } catch {
            part = "[cannot be shown]";
          }
          whole += n === 0 ? part : ` ${part}`;
        }
        line(level, whole);
      };
      put(made, name, freeze(write));
    }
    return freeze(made);
  }

  /** Text that was not checked is not run: no eval, and no function made from a string. */
  function banCompilers(): void {
    const banned = function Function(): never {
      throw new EvalErrorOf("A program runs as it was checked; it cannot compile text.");
    };
    defineProperty(banned, "prototype", { value: getPrototypeOf(banned), writable: false });
    const kinds = [function () {}, async function () {}, function* () {}, async function* () {}];
    for (let n = 0; n < kinds.length; n++) {
      const proto = getPrototypeOf(kinds[n]) as object;
      defineProperty(proto, "constructor", { value: banned, writable: false, configurable: false });
    }
    defineProperty(globalThis, "Function", { value: banned, writable: false, configurable: false });
    const directly = "eval";
    delete (globalThis as Record<string, unknown>)[directly];
  }

  function told(read: () => unknown, fallback: string): string {
    try {
      const value = read();
      return typeof value === "string" ? value : fallback;
    } catch {
      return fallback;
    }
  }

  async function run(program: () => Promise<unknown>): Promise<void> {
    let json: string | undefined;
    try {
      const value = await program();
      try {
        json = stringify(value) as string | undefined;
      } catch (error) {
        threw(
          "program.bad_output",
          told(() => (error as Error).message, ""),
          "",
        );
        return;
      }
    } catch (error) {
      const thrown = error as Error;
      threw(
        told(() => thrown.name, typeof error),
        told(
          () => thrown.message,
          told(() => shown(error), "something that cannot be shown"),
        ),
        told(() => thrown.stack, ""),
      );
      return;
    }
    returned(json);
  }

  function settle(index: number, json: string | undefined): void {
    const resolve = waiting[index]!;
    delete waiting[index];
    resolve(json === undefined ? undefined : parse(json));
  }

  banCompilers();
  // It would be shown the functions of the bridge.
  defineProperty(ErrorOf, "prepareStackTrace", { value: undefined, writable: false, configurable: false });
  delete (globalThis as Record<string, unknown>)["SharedArrayBuffer"];
  put(globalThis, "tools", buildTools());
  put(globalThis, "console", buildConsole());
  put(globalThis, "sleep", freeze(sleep));
  put(globalThis, "must", freeze(must));
  put(globalThis, "ProgramError", freeze(ProgramError));
  put(globalThis, "performance", freeze({ now: () => now() - settings.startedAt }));
  return freeze({ run, settle });
}

/**
 * Runs inside the engine, from its own source text, once its URL classes are there. They
 * lack two things that programs count on: parameters made from an object or a list, and
 * `searchParams` of a URL. Both are added; `searchParams` writes back to its URL.
 */
export function completeUrls(): void {
  const Plain = URLSearchParams;
  const { defineProperty, entries } = Object;
  const text: (value: unknown) => string = String;

  class Params extends Plain {
    constructor(from: unknown = "") {
      const listed = typeof from === "object" && from !== null;
      super(listed ? "" : text(from));
      if (!listed) return;
      const pairs = Symbol.iterator in from ? (from as Iterable<[unknown, unknown]>) : entries(from);
      for (const [name, value] of pairs) this.append(text(name), text(value));
    }
  }
  defineProperty(Params, "name", { value: "URLSearchParams" });
  defineProperty(globalThis, "URLSearchParams", { value: Params, writable: true, configurable: true });

  const made = new WeakMap<URL, { search: string; params: URLSearchParams }>();

  function paramsOf(url: URL): URLSearchParams {
    const known = made.get(url);
    if (known !== undefined && known.search === url.search) return known.params;
    const params = new Params(url.search);
    const entry = { search: url.search, params };
    for (const name of ["append", "delete", "set", "sort"] as const) {
      const change = params[name].bind(params) as (...values: unknown[]) => void;
      const value = (...values: unknown[]) => {
        change(...values);
        url.search = params.toString();
        entry.search = url.search;
      };
      defineProperty(params, name, { value });
    }
    made.set(url, entry);
    return params;
  }

  defineProperty(URL.prototype, "searchParams", {
    configurable: true,
    enumerable: true,
    get(this: URL) {
      return paramsOf(this);
    },
  });
}

/**
 * Runs inside the engine, from its own source text: it may name nothing from outside itself. The engine writes every
 * date and number as in the United States, whatever locale it is asked for; these methods ask the process around it
 * instead. `now` is built here too, from the same clock and zone as `Date`.
 */
export function completeLocales(
  write: (kind: string, value: string, other: string, settings: string) => string,
  timeZone: string,
): void {
  const { defineProperty, freeze, create } = Object;
  const { stringify } = JSON;
  const RangeErrorOf = RangeError;
  const TypeErrorOf = TypeError;
  const DateOf = Date;
  const text: (value: unknown) => string = String;
  const { apply } = Reflect;
  type Method<R> = (self: unknown, ...args: unknown[]) => R;
  /** A method as it is now, whatever a program puts in its place. */
  const method = (prototype: object, name: string): Method<unknown> => {
    const found = (prototype as Record<string, (...args: unknown[]) => unknown>)[name]!;
    return (self, ...args) => apply(found, self, args);
  };
  const getTime = method(DateOf.prototype, "getTime") as Method<number>;
  const numberOf = method(Number.prototype, "valueOf");
  const bigintOf = method(BigInt.prototype, "valueOf");
  const iso = method(DateOf.prototype, "toISOString") as Method<string>;
  const offset = method(DateOf.prototype, "getTimezoneOffset") as Method<number>;
  const day = method(DateOf.prototype, "getDay") as Method<number>;
  const slice = method(String.prototype, "slice") as Method<string>;

  function ask(kind: string, value: string, other: string, locales: unknown, options: unknown): string {
    const answer = write(kind, value, other, stringify([locales, options]));
    const rest = slice(answer, 1);
    if (answer[0] === "=") return rest;
    throw new RangeErrorOf(rest);
  }
  function put(target: object, name: string, value: unknown): void {
    defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  }
  function textOf(self: unknown): string {
    if (self === undefined || self === null) throw new TypeErrorOf("There is no text.");
    return text(self);
  }

  for (const [name, kind] of [
    ["toLocaleDateString", "date"],
    ["toLocaleTimeString", "time"],
    ["toLocaleString", "dateTime"],
  ] as const)
    put(DateOf.prototype, name, function (this: unknown, locales?: unknown, options?: unknown) {
      return ask(kind, text(getTime(this)), "", locales, options);
    });
  put(Number.prototype, "toLocaleString", function (this: unknown, locales?: unknown, options?: unknown) {
    return ask("number", text(numberOf(this)), "", locales, options);
  });
  put(BigInt.prototype, "toLocaleString", function (this: unknown, locales?: unknown, options?: unknown) {
    return ask("number", text(bigintOf(this)), "", locales, options);
  });
  put(
    String.prototype,
    "localeCompare",
    function (this: unknown, that: unknown, locales?: unknown, options?: unknown) {
      return +ask("compare", textOf(this), text(that), locales, options);
    },
  );
  put(String.prototype, "toLocaleUpperCase", function (this: unknown, locales?: unknown) {
    return ask("upper", textOf(this), "", locales, undefined);
  });
  put(String.prototype, "toLocaleLowerCase", function (this: unknown, locales?: unknown) {
    return ask("lower", textOf(this), "", locales, undefined);
  });

  const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const MINUTE_MS = 60_000;
  /** The owner's wall clock, written as a moment in UTC is. */
  function wallClock(): string {
    const moment = new DateOf();
    return iso(new DateOf(getTime(moment) - offset(moment) * MINUTE_MS));
  }
  const now = create(null) as object;
  const facts: Record<string, () => string> = {
    iso: () => iso(new DateOf()),
    local: () => `${slice(wallClock(), 0, 10)} ${slice(wallClock(), 11, 16)}`,
    date: () => slice(wallClock(), 0, 10),
    time: () => slice(wallClock(), 11, 16),
    weekday: () => WEEKDAYS[day(new DateOf())]!,
    timeZone: () => timeZone,
  };
  for (const name of ["iso", "local", "date", "time", "weekday", "timeZone"])
    defineProperty(now, name, { get: facts[name]!, enumerable: true, configurable: false });
  defineProperty(globalThis, "now", {
    value: freeze(now),
    writable: false,
    enumerable: true,
    configurable: false,
  });
}
