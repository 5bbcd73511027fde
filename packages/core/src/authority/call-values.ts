import { accountsIn, addressesIn, emailsIn } from "./owner-words.ts";

/** The arguments by name. What a schema itself fills in says nothing of anybody's wishes. */
export function argumentsOf(
  input: unknown,
  schema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return { input };
  const properties = (schema["properties"] ?? {}) as Record<string, { default?: unknown } | undefined>;
  return Object.fromEntries(
    Object.entries(input).filter(([name, value]) => {
      const preset = Object.hasOwn(properties, name) ? properties[name]?.default : undefined;
      return preset === undefined || JSON.stringify(preset) !== JSON.stringify(value);
    }),
  );
}

export function isPresent(value: unknown): boolean {
  return leavesOf(value).length > 0;
}

const LEAVES_MAX = 1_000;
/** Stands for what was not looked at any more; nobody ever said it. */
export const AND_MORE: unknown = Symbol("and more");

/** The plain values in it. Nothing, an empty text and `false` ask for nothing. */
export function leavesOf(value: unknown, found: unknown[] = []): readonly unknown[] {
  if (found.length > LEAVES_MAX) return found;
  if (found.length === LEAVES_MAX) found.push(AND_MORE);
  else if (Array.isArray(value)) for (const item of value) leavesOf(item, found);
  else if (typeof value === "object" && value !== null)
    for (const [key, member] of Object.entries(value)) {
      // A name of a member can be somebody's address too.
      if (emailsIn(key).length + addressesIn(key).length + accountsIn(key).length > 0) found.push(key);
      leavesOf(member, found);
    }
  else if (value !== undefined && value !== null && value !== "" && value !== false) found.push(value);
  return found;
}

const READING =
  /(?<!\p{L})(?:read|view|les(?!s)|lect|lea(?!\p{L})|leer|lire|lis(?!t)|legg|lettura|leitura|lezen|odczyt)|只读|阅读|查看|読み取り|閲覧/u;
const WRITING =
  /(?<!\p{L})(?:writ|edit|schreib|bearbeit|escri[bt]|écri|modif|scri[vt]|escre|bewerk|schrijf|zapis|edyc)|编辑|写|修改|編集|書き込/u;

/** What rights are called in a call, and what of it must have been said. */
export const RIGHTS: Readonly<Record<string, readonly RegExp[]>> = {
  r: [READING],
  ro: [READING],
  w: [WRITING],
  rw: [READING, WRITING],
};
