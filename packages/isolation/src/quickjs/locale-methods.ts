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
