import { isRecord } from "@elwood/core/base/is-record";

/** How far the type of one schema may go; what lies beyond is `unknown`. */
export interface TypeTextLimits {
  readonly depth: number;
  readonly chars: number;
  readonly enumValues: number;
  readonly properties: number;
}

export interface TypeText {
  readonly text: string;
  /** Types with a name of their own, which recursion needs: `type X_Node = …;` */
  readonly named: readonly string[];
}

/**
 * A JSON Schema as a TypeScript type. The same schema always gives the same text, and every
 * schema gives some text: what cannot be said in a type, or is too deep or too long, is
 * `unknown`, and checked at the call anyway. `prefix` begins the names of types.
 */
export function typeTextOf(
  schema: unknown,
  prefix: string,
  limits: TypeTextLimits,
  indent: string,
): TypeText {
  const writer = new TypeWriter(schema, prefix, limits);
  const text = writer.root(indent);
  return { text, named: writer.named };
}

/** Text fit to stand in a comment: one line, and nothing in it can end the comment or turn text around. */
export function commentText(text: string, charsMax: number): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ")
    .replaceAll("*/", "*\\/")
    .trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1).trimEnd()}…`;
}

export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

const ROOT = "#";
const DESCRIPTION_CHARS_MAX = 240;
const INLINE_CHARS_MAX = 72;

/** A type, and whether it must be put in brackets before more is added to it. */
interface Written {
  readonly text: string;
  readonly joined?: "|" | "&";
}

type Schema = Readonly<Record<string, unknown>>;

class TypeWriter {
  readonly named: string[] = [];
  readonly #schema: unknown;
  readonly #prefix: string;
  readonly #limits: TypeTextLimits;
  /** References being written, innermost last; meeting one again is recursion. */
  readonly #open: string[] = [];
  readonly #names = new Map<string, string>();
  #chars = 0;

  constructor(schema: unknown, prefix: string, limits: TypeTextLimits) {
    this.#schema = schema;
    this.#prefix = prefix;
    this.#limits = limits;
  }

  root(indent: string): string {
    return this.#reference(ROOT, 0, indent).text;
  }

  #reference(pointer: string, depth: number, indent: string): Written {
    const known = this.#names.get(pointer);
    if (known !== undefined) return { text: known };
    if (this.#open.includes(pointer)) {
      const name = this.#freeName(pointer);
      this.#names.set(pointer, name);
      return { text: name };
    }
    const target = resolvePointer(this.#schema, pointer);
    if (target === undefined) return { text: "unknown" };
    this.#open.push(pointer);
    const written = this.#type(target, depth, indent);
    this.#open.pop();
    const name = this.#names.get(pointer);
    if (name === undefined) return written;
    this.named.push(`type ${name} = ${written.text};`);
    return { text: name };
  }

  #freeName(pointer: string): string {
    const last = pointer === ROOT ? "Self" : pointer.slice(pointer.lastIndexOf("/") + 1);
    const base = `${this.#prefix}_${last.replaceAll(/\W+/g, "_")}`;
    const taken = new Set(this.#names.values());
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}${n}`;
    return name;
  }

  #type(schema: unknown, depth: number, indent: string): Written {
    if (schema === false) return { text: "never" };
    if (!isSchema(schema) || depth > this.#limits.depth || this.#chars > this.#limits.chars) {
      return { text: "unknown" };
    }
    const parts: Written[] = [];
    if (typeof schema["$ref"] === "string") parts.push(this.#reference(schema["$ref"], depth + 1, indent));
    const literals = this.#literals(schema);
    if (literals) parts.push(literals);
    else {
      const plain = this.#plain(schema, depth, indent);
      if (plain) parts.push(plain);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      const members = schema[keyword];
      if (Array.isArray(members)) {
        parts.push(union(members.map((each) => this.#type(each, depth + 1, indent))));
      }
    }
    const all = schema["allOf"];
    if (Array.isArray(all)) parts.push(...all.map((each) => this.#type(each, depth + 1, indent)));
    const written = intersection(parts);
    return schema["nullable"] === true ? union([written, { text: "null" }]) : written;
  }

  #literals(schema: Schema): Written | undefined {
    const values = "const" in schema ? [schema["const"]] : schema["enum"];
    if (!Array.isArray(values) || values.length === 0) return undefined;
    if (values.length > this.#limits.enumValues) {
      const kinds = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
      return this.#spend(union(kinds.map((kind) => ({ text: kind === "object" ? "unknown" : kind }))));
    }
    return this.#spend(union(values.map((value) => ({ text: literal(value) }))));
  }

  #plain(schema: Schema, depth: number, indent: string): Written | undefined {
    const type = schema["type"] ?? impliedType(schema);
    const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
    if (types.length === 0) return undefined;
    return union(types.map((each) => this.#ofKind(each, schema, depth, indent)));
  }

  #ofKind(type: string, schema: Schema, depth: number, indent: string): Written {
    if (type === "object") return this.#object(schema, depth, indent);
    if (type === "array") return this.#array(schema, depth, indent);
    const known: Readonly<Record<string, string>> = {
      string: "string",
      number: "number",
      integer: "number",
      boolean: "boolean",
      null: "null",
    };
    return this.#spend({ text: known[type] ?? "unknown" });
  }

  #array(schema: Schema, depth: number, indent: string): Written {
    const items = schema["items"];
    const first = schema["prefixItems"] ?? (Array.isArray(items) ? items : undefined);
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    if (!Array.isArray(first)) {
      return this.#spend({ text: `${bracketed(this.#type(rest ?? true, depth + 1, indent))}[]` });
    }
    const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
    const members = first.map(
      (each, i) => bracketed(this.#type(each, depth + 1, indent)) + (i < least ? "" : "?"),
    );
    if (rest !== false) members.push(`...${bracketed(this.#type(rest ?? true, depth + 1, indent))}[]`);
    return this.#spend({ text: `[${members.join(", ")}]` });
  }

  #object(schema: Schema, depth: number, indent: string): Written {
    const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"].map(String) : []);
    const all = [...new Set([...required, ...Object.keys(properties)])];
    const names = Object.keys(properties).slice(0, this.#limits.properties);
    names.push(
      ...[...required].filter((name) => !Object.hasOwn(properties, name)).slice(0, this.#limits.properties),
    );
    const more = schema["additionalProperties"];
    const patterns =
      isSchema(schema["patternProperties"]) && Object.keys(schema["patternProperties"]).length > 0;
    if (names.length === 0) {
      if (more === false && !patterns) return this.#spend({ text: "{}" });
      const value = isSchema(more) ? this.#type(more, depth + 1, indent) : { text: "unknown" };
      return this.#spend({ text: `Record<string, ${value.text}>` });
    }
    const inner = `${indent}  `;
    const members = names.map((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : true;
      const type = this.#type(property, depth + 1, inner).text;
      const doc = isSchema(property) ? remarks(property) : "";
      const field = `${propertyName(name)}${required.has(name) ? "" : "?"}: ${type}`;
      return { doc: doc === "" ? "" : `/** ${doc} */`, field };
    });
    if ((more !== undefined && more !== false) || patterns || names.length < all.length) {
      members.push({ doc: "", field: "[key: string]: unknown" });
    }
    const inline = `{ ${members.map((each) => each.field).join("; ")} }`;
    const short = inline.length <= INLINE_CHARS_MAX && !inline.includes("\n");
    if (short && members.every((each) => each.doc === "")) return this.#spend({ text: inline });
    const lines = members.map(
      ({ doc, field }) => `${inner}${doc === "" ? "" : `${doc}\n${inner}`}${field};\n`,
    );
    return this.#spend({ text: `{\n${lines.join("")}${indent}}` });
  }

  #spend(written: Written): Written {
    this.#chars += written.text.length;
    return written;
  }
}

/** What a type cannot say, for whoever reads it. */
function remarks(schema: Schema): string {
  const said = typeof schema["description"] === "string" ? schema["description"] : "";
  const rules: string[] = [];
  if (typeof schema["format"] === "string") rules.push(schema["format"]);
  if (schema["type"] === "integer") rules.push("whole number");
  for (const [keyword, sign] of BOUNDS) {
    const bound = schema[keyword];
    // Bounds that stand for "any safe integer" say nothing.
    if (typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER)
      rules.push(`${sign} ${bound}`);
  }
  if (typeof schema["pattern"] === "string") rules.push(`matches ${schema["pattern"].slice(0, 60)}`);
  if ("default" in schema) rules.push(`default ${literal(schema["default"]).slice(0, 60)}`);
  if (schema["deprecated"] === true) rules.push("deprecated");
  const doc = [said, rules.length > 0 ? `(${rules.join(", ")})` : ""].filter((each) => each !== "").join(" ");
  return commentText(doc, DESCRIPTION_CHARS_MAX);
}

const BOUNDS = [
  ["minimum", "≥"],
  ["exclusiveMinimum", ">"],
  ["maximum", "≤"],
  ["exclusiveMaximum", "<"],
  ["minLength", "length ≥"],
  ["maxLength", "length ≤"],
  ["minItems", "items ≥"],
  ["maxItems", "items ≤"],
] as const;

function impliedType(schema: Schema): string | undefined {
  if ("properties" in schema || "additionalProperties" in schema || "required" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  return undefined;
}

/** `#`, `#/$defs/Node`; anything else is not in this schema. */
function resolvePointer(schema: unknown, pointer: string): unknown {
  if (pointer === ROOT) return schema;
  if (!pointer.startsWith("#/")) return undefined;
  let at: unknown = schema;
  for (const raw of pointer.slice(2).split("/")) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Object.entries(at).find(([name]) => name === key)?.[1];
  }
  return at;
}

function literal(value: unknown): string {
  if (typeof value === "object" && value !== null) return "unknown";
  return JSON.stringify(value) ?? "undefined";
}

function union(members: readonly Written[]): Written {
  const texts = [...new Set(members.map((each) => (each.joined === "&" ? `(${each.text})` : each.text)))];
  if (texts.length === 0) return { text: "never" };
  if (texts.includes("unknown")) return { text: "unknown" };
  return texts.length === 1 ? { text: texts[0]! } : { text: texts.join(" | "), joined: "|" };
}

function intersection(members: readonly Written[]): Written {
  const known = members.filter((each) => each.text !== "unknown");
  if (known.length === 0) return { text: "unknown" };
  if (known.length === 1) return known[0]!;
  return { text: [...new Set(known.map(bracketed))].join(" & "), joined: "&" };
}

function bracketed(written: Written): string {
  return written.joined || / [|&] /.test(written.text) ? `(${written.text})` : written.text;
}

function isSchema(value: unknown): value is Schema {
  return isRecord(value);
}
