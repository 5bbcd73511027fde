import { isRecord } from "@elwood/core/base/is-record";

/** A field of a form that a tool's input is written in. */
export interface Field {
  readonly name: string;
  /** As a person reads it: `oldText` is “Old text”. */
  readonly label: string;
  readonly about: string;
  readonly kind: "text" | "long" | "number" | "yes" | "choice" | "lines";
  readonly choices: readonly string[];
  readonly needed: boolean;
}

/** More than these are easier to write as JSON. */
const FIELDS_MAX = 12;
/** Words that hold whole texts. */
const LONG = /^(?:content|text|body|message|code|script|command|newText|oldText|html)$/;

/** The fields of a tool's JSON Schema; none where a part that must be there cannot be written in a field. */
export function fieldsOf(schema: unknown): readonly Field[] {
  const object = objectIn(schema);
  if (!object) return [];
  const needed = Array.isArray(object["required"]) ? object["required"].map(String) : [];
  const properties = isRecord(object["properties"]) ? object["properties"] : {};
  const all = Object.entries(properties).map(([name, of]) => fieldOf(name, of, needed.includes(name)));
  const fields = all.filter((field) => field !== undefined);
  const isWhole = needed.every((name) => fields.some((field) => field.name === name));
  if (!isWhole || fields.length > FIELDS_MAX) return [];
  return fields.toSorted((a, b) => Number(b.needed) - Number(a.needed));
}

function objectIn(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(schema)) return undefined;
  if (isRecord(schema["properties"])) return schema;
  const choices = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(choices) ? objectIn(choices[0]) : undefined;
}

function fieldOf(name: string, schema: unknown, needed: boolean): Field | undefined {
  if (!isRecord(schema)) return undefined;
  const kind = kindOf(name, schema);
  if (!kind) return undefined;
  const { description, enum: values } = schema;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .toLowerCase();
  return {
    name,
    label: words.charAt(0).toUpperCase() + words.slice(1),
    about: typeof description === "string" ? description : "",
    kind,
    choices: Array.isArray(values) ? values.map(String) : [],
    needed,
  };
}

function kindOf(
  name: string,
  { type, enum: values, items }: Record<string, unknown>,
): Field["kind"] | undefined {
  if (Array.isArray(values)) return values.every((each) => typeof each === "string") ? "choice" : undefined;
  if (type === "string") return LONG.test(name) ? "long" : "text";
  if (type === "number" || type === "integer") return "number";
  if (type === "boolean") return "yes";
  if (type === "array" && isRecord(items) && items["type"] === "string") return "lines";
  return undefined;
}

/** What stands in a field. */
export function fieldText({ name, kind }: Field, input: unknown): string {
  const value = isRecord(input) ? input[name] : undefined;
  if (kind === "lines" && Array.isArray(value)) return value.map(String).join("\n");
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}

/** The input with what was written in a field; one that may be left out is, when it is empty. */
export function withField(input: unknown, { name, kind, needed }: Field, text: string): unknown {
  const { [name]: _, ...rest } = isRecord(input) ? input : {};
  if (text === "" && !needed) return rest;
  if (kind === "yes" && text === "false" && !needed) return rest;
  return { ...rest, [name]: valueOf(kind, text) };
}

function valueOf(kind: Field["kind"], text: string): unknown {
  switch (kind) {
    case "number":
      return Number(text);
    case "yes":
      return text === "true";
    case "lines":
      return text.split("\n").filter((line) => line !== "");
    case "text":
    case "long":
    case "choice":
    default:
      return text;
  }
}
