const MINUTE = 60_000;

/** What the wall clock of a zone shows at every minute of a period. */
export function wallsOf(zone: string, from: number, to: number): number[] {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  const wallOf = (instant: number) => {
    const [, day, month, year, hour, minute] = /(\d+)\/(\d+)\/(\d+), (\d+):(\d+)/u.exec(
      format.format(instant),
    )!;
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
  };
  return Array.from({ length: (to - from) / MINUTE + 1 }, (_, n) => wallOf(from + n * MINUTE));
}

/**
 * The times of an expression by another way: every minute of the wall clock is held against the
 * fields, one by one, and the moments of the wall clock are found by going through all minutes.
 */
export function reference(expression: string, walls: readonly number[], from: number): number[] {
  const [minutes, hours, days, months, weekdays] = expression.split(" ") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const has = (field: string, value: number, min: number, max: number) =>
    field.split(",").some((part) => {
      const [range = "", step = "1"] = part.split("/");
      const [low, high] =
        range === "*"
          ? [min, max]
          : range.includes("-")
            ? range.split("-").map(Number)
            : [Number(range), Number(range)];
      return value >= low! && value <= high! && (value - low!) % Number(step) === 0;
    });
  const matches = (wall: number) => {
    const date = new Date(wall);
    const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
    const byMonth = days === "L" ? date.getUTCDate() === lastDay : has(days, date.getUTCDate(), 1, 31);
    const byWeek =
      has(weekdays, date.getUTCDay(), 0, 7) || (date.getUTCDay() === 0 && has(weekdays, 7, 0, 7));
    const day = days === "*" || weekdays === "*" ? byMonth && byWeek : byMonth || byWeek;
    return (
      day &&
      has(minutes, date.getUTCMinutes(), 0, 59) &&
      has(hours, date.getUTCHours(), 0, 23) &&
      has(months, date.getUTCMonth() + 1, 1, 12)
    );
  };
  const found = new Set<number>();
  const shown = new Set<number>();
  let before = walls[0]!;
  for (const [n, wall] of walls.entries()) {
    if (n === 0) continue;
    const instant = from + n * MINUTE;
    if (hours === "*") {
      if (matches(wall)) found.add(instant);
      continue;
    }
    // All that the wall passed over in this minute: one time, or a whole hour that does not exist.
    for (let passed = before + MINUTE; passed <= wall; passed += MINUTE)
      if (!shown.has(passed) && matches(passed)) found.add(instant);
    for (let passed = before + MINUTE; passed <= wall; passed += MINUTE) shown.add(passed);
    before = wall;
  }
  return [...found];
}
