/** "Bike: red (since 2026-11-15)" on that very day says no more than "Bike: red". */
export function withoutToday(text: string, today: readonly string[] = []): string {
  return text.replaceAll(
    /\s*[([](?:since|as of|from|seit|ab|desde|depuis) (\d{4}-\d{2}(?:-\d{2})?)[)\]]/giu,
    (whole, day: string) => (today.some((each) => each === day || each.slice(0, 7) === day) ? "" : whole),
  );
}

/** By letters and digits alone: other blanks, capitals or marks make no other text. */
export function lettersOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
