/** A sentence of the table with values in its places: `fill("{0} of {1}", 2, 5)`. */
export function fill(sentence: string, ...values: readonly (string | number)[]): string {
  return sentence.replaceAll(PLACE, (_, place: string) => String(values[Number(place)] ?? ""));
}

/** The same with markup in some places, as Lit takes it: `fillIn("See {0}.", html`<a>…</a>`)`. */
export function fillIn(sentence: string, ...values: readonly unknown[]): unknown[] {
  return sentence.split(PLACE).map((piece, i) => (i % 2 === 0 ? piece : values[Number(piece)]));
}

const PLACE = /\{(\d)\}/g;
