import { isRecord } from "@elwood/core/base/is-record";

type Node = Readonly<Record<string, unknown>>;

/** A key that stands where the schema names no such key. */
export interface UnknownKey {
  readonly path: readonly string[];
  /** What may stand there. */
  readonly known: readonly string[];
}

/**
 * The schema with every object closed to keys it does not name, unless it says itself what
 * else it takes. Only where that changes nothing else: parts of an `allOf` each see the
 * keys of the others, so they stay as they are.
 */
export function closed(schema: Node): Record<string, unknown> {
  return close(schema, true);
}

/** Keys in a value that no part of the schema names. A model that makes up an argument is told, not half obeyed. */
export function unknownKeys(root: Node, value: unknown): UnknownKey[] {
  if (isPlainlyNamed(root, value)) return [];
  const found: UnknownKey[] = [];
  visit([root], value, []);
  return found;

  function visit(schemas: readonly Node[], at: unknown, path: readonly string[]): void {
    if (typeof at !== "object" || at === null) return;
    const parts = schemas.flatMap((schema) => partsOf(root, schema, at, 0));
    if (Array.isArray(at)) {
      const below = parts.flatMap((part) => (isNode(part["items"]) ? [part["items"]] : []));
      if (below.length > 0) at.forEach((item, i) => visit(below, item, [...path, String(i)]));
      return;
    }
    if (!isNode(at)) return;
    const named = parts.filter((part) => isNode(part["properties"]));
    if (named.length === 0) return;
    const isOpen = parts.some(
      (part) => part["additionalProperties"] !== undefined && part["additionalProperties"] !== false,
    );
    const known = [...new Set(named.flatMap((part) => Object.keys(part["properties"] as Node)))];
    for (const [key, inner] of Object.entries(at)) {
      const below = named.flatMap((part) => {
        const properties = part["properties"] as Node;
        const next = Object.hasOwn(properties, key) ? properties[key] : undefined;
        return isNode(next) ? [next] : [];
      });
      if (below.length > 0) visit(below, inner, [...path, key]);
      else if (!known.includes(key) && !isOpen) found.push({ path: [...path, key], known });
    }
  }
}

/** What most calls are: arguments in a row, all of them named, nothing inside of them. */
function isPlainlyNamed(root: Node, value: unknown): boolean {
  const { properties, $ref, anyOf, oneOf, allOf } = root;
  const isPlain = $ref === undefined && anyOf === undefined && oneOf === undefined && allOf === undefined;
  if (!isPlain || !isNode(properties) || !isNode(value)) return false;
  return Object.keys(value).every((key) => {
    const inner = value[key];
    return Object.hasOwn(properties, key) && (typeof inner !== "object" || inner === null);
  });
}

function close(schema: Node, mayClose: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [keyword, inner] of Object.entries(schema)) {
    if (keyword === "properties" || keyword === "$defs" || keyword === "definitions") {
      out[keyword] = isNode(inner) ? mapNodes(inner, (node) => close(node, true)) : inner;
    } else if (keyword === "anyOf" || keyword === "oneOf" || keyword === "prefixItems") {
      out[keyword] = closeList(inner, mayClose);
    } else if (keyword === "allOf") {
      out[keyword] = closeList(inner, false);
    } else if (keyword === "items" && isNode(inner)) {
      out[keyword] = close(inner, true);
    } else {
      out[keyword] = inner;
    }
  }
  if (
    mayClose &&
    isNode(schema["properties"]) &&
    schema["allOf"] === undefined &&
    schema["additionalProperties"] === undefined
  ) {
    out["additionalProperties"] = false;
  }
  return out;
}

function closeList(inner: unknown, mayClose: boolean): unknown {
  if (!Array.isArray(inner)) return inner;
  return inner.map((node: unknown) => (isNode(node) ? close(node, mayClose) : node));
}

function mapNodes(group: Node, change: (node: Node) => Node): Node {
  return Object.fromEntries(
    Object.entries(group).map(([key, node]) => [key, isNode(node) ? change(node) : node]),
  );
}

const REFERENCES_MAX = 32;

/** The schema and all its alternatives that this value could be meant for, references followed. */
function partsOf(root: Node, schema: Node, value: unknown, depth: number): Node[] {
  if (depth > REFERENCES_MAX) return [];
  const target = typeof schema["$ref"] === "string" ? referred(root, schema["$ref"]) : undefined;
  const alternatives = [schema["anyOf"], schema["oneOf"]]
    .flatMap((list) => nodesOf(list))
    .filter((node) => !contradicts(node, value));
  const more = [...(target ? [target] : []), ...nodesOf(schema["allOf"]), ...alternatives];
  return [schema, ...more.flatMap((node) => partsOf(root, node, value, depth + 1))];
}

/** An alternative whose constant says that another kind of value is meant. */
function contradicts(schema: Node, value: unknown): boolean {
  const properties = schema["properties"];
  if (!isNode(properties) || !isNode(value)) return false;
  return Object.entries(properties).some(
    ([key, node]) =>
      isNode(node) && "const" in node && Object.hasOwn(value, key) && value[key] !== node["const"],
  );
}

function referred(root: Node, reference: string): Node | undefined {
  if (!reference.startsWith("#")) return undefined;
  let at: unknown = root;
  for (const step of reference
    .slice(1)
    .split("/")
    .filter((part) => part !== "")) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    at = isNode(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return isNode(at) ? at : undefined;
}

function nodesOf(list: unknown): Node[] {
  return Array.isArray(list) ? list.filter((node: unknown) => isNode(node)) : [];
}

function isNode(value: unknown): value is Node {
  return isRecord(value);
}
