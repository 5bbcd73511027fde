/**
 * The option of a question that an answer picks: by its text, or by its number as surfaces show it,
 * from 1 on. A text that is an option counts before a number. Undefined where the answer is another.
 */
export function pickedOption(options: readonly string[] | undefined, answer: string): string | undefined {
  if (!options) return undefined;
  const plain = (text: string) => text.trim().toLowerCase();
  const named = options.find((option) => plain(option) === plain(answer));
  if (named !== undefined) return named;
  const [, number] = /^\s*(\d{1,2})[.)]?\s*$/.exec(answer) ?? [];
  return number === undefined ? undefined : options[Number(number) - 1];
}
