/** What a person can be told by, of the kinds that have a shape of their own. */
export type PersonalKind = "email" | "phone" | "iban" | "card" | "address";

export interface TakenOut {
  readonly text: string;
  readonly kinds: readonly PersonalKind[];
}

/**
 * Takes e-mail addresses, phone numbers, bank accounts, payment cards and IP addresses out of a text. The same
 * value gets the same marker, so that a model can still tell two of them apart. Numbers with a check digit
 * count only where it is right.
 */
export class PersonalData {
  readonly #markers = new Map<string, string>();
  readonly #counts = new Map<PersonalKind, number>();

  takeOut(text: string): TakenOut {
    const kinds = new Set<PersonalKind>();
    let left = text;
    for (const { kind, expression, counts } of SHAPES)
      left = left.replaceAll(expression, (found) => {
        if (counts && !counts(found)) return found;
        kinds.add(kind);
        return this.#marker(kind, found);
      });
    return { text: left, kinds: [...kinds] };
  }

  #marker(kind: PersonalKind, value: string): string {
    const key = `${kind} ${value.replaceAll(/[\s().-]/g, "").toLowerCase()}`;
    const known = this.#markers.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const marker = `[${kind} ${count}]`;
    this.#markers.set(key, marker);
    return marker;
  }
}

interface Shape {
  readonly kind: PersonalKind;
  readonly expression: RegExp;
  readonly counts?: (found: string) => boolean;
}

const SHAPES: readonly Shape[] = [
  {
    kind: "email",
    expression: /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}/gu,
  },
  {
    kind: "iban",
    expression: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g,
    counts: isIban,
  },
  { kind: "card", expression: /\b\d(?:[ -]?\d){12,18}\b/g, counts: isCard },
  { kind: "address", expression: /\b(?:\d{1,3}\.){3}\d{1,3}\b/g, counts: isIpv4 },
  { kind: "phone", expression: /(?<![\w.])(?:\+|00)\d(?:[ ().-]{0,2}\d){7,14}(?!\w)/g },
  { kind: "phone", expression: /(?<![\w.])\(?0\d{1,4}\)?[ /-]\d(?:[ -]?\d){5,9}(?!\w)/g },
];

function isIban(found: string): boolean {
  const plain = found.replaceAll(" ", "");
  if (plain.length < 15 || plain.length > 34) return false;
  const moved = plain.slice(4) + plain.slice(0, 4);
  let rest = 0;
  for (const letter of moved)
    for (const digit of String(Number.parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

function isCard(found: string): boolean {
  const digits = found.replaceAll(/\D/g, "");
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function isIpv4(found: string): boolean {
  return found.split(".").every((part) => Number(part) <= 255);
}
