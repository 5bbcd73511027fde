import type { ToolContract } from "../tool/tool.ts";
import { argumentsOf, leavesOf, RIGHTS } from "./call-values.ts";
import { emailsIn } from "./owner-words.ts";
import { readMoment } from "./spoken-times.ts";

/** Values of critical arguments that the owner allowed before, by the name of the argument. */
export type KnownPlaces = ReadonlyMap<string, ReadonlySet<string>>;

/** Only names of places: an amount, a time or a right that was once allowed says nothing of the next one. */
export function isKnownPlace(value: unknown, known: ReadonlySet<string> | undefined): boolean {
  return known !== undefined && isPlace(value) && known.has(placeKey(value));
}

/** The places among the critical values of a call that the owner allowed. */
export function placesIn(
  contract: Pick<ToolContract, "labels" | "input">,
  input: unknown,
): readonly { readonly argument: string; readonly place: string }[] {
  const values = argumentsOf(input, contract.input);
  return contract.labels.critical
    .filter((name) => contract.labels.ids[name] === undefined)
    .flatMap((name) =>
      leavesOf(values[name])
        .filter(isPlace)
        .map((value) => ({ argument: name, place: placeKey(value) })),
    );
}

function isPlace(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const text = value.trim();
  if (text === "" || Object.hasOwn(RIGHTS, text.toLowerCase())) return false;
  return !/^-?\d+(?:\.\d+)?$/u.test(text) && readMoment(text) === undefined;
}

/** Addresses of mail are the same in any case; nothing else is. */
function placeKey(value: string): string {
  const text = value.trim();
  return emailsIn(text)[0] === text.toLowerCase() ? text.toLowerCase() : text;
}
