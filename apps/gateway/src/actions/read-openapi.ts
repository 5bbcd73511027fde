import { basename } from "node:path";
import type { ActionSpec, HttpRequestSpec, Manifest } from "@elwood/core/action/action-spec";
import { manifestProblems, type ManifestSurroundings } from "@elwood/core/action/manifest-problems";
import { isRecord } from "@elwood/core/base/is-record";
import { LIMITS } from "@elwood/core/base/limits";
import { makeRedactor } from "@elwood/core/base/redact";
import { err, ok, type Result } from "@elwood/core/base/result";
import { showLine } from "@elwood/core/base/show";
import { LineCounter, parseDocument, type Document } from "yaml";

/** Actions of an OpenAPI document, and what of it became none, each with a reason. */
export interface ReadOpenApi {
  readonly manifest: Manifest;
  readonly leftOut: readonly string[];
}

const VERBS = ["get", "post", "put", "patch", "delete"] as const;
const OPERATIONS_MAX = 200;
const SCHEMA_NODES_MAX = 20_000;
const NAME_CHARS_MAX = 64;
const DESCRIPTION_CHARS_MAX = 300;

/**
 * Reads an OpenAPI 3.0 or 3.1 document, in YAML or JSON: each operation becomes an http action. Either all of it
 * can be trusted to mean what it says, or all that is wrong is told at once, each with its line. A key is only
 * ever the name of a variable, so whoever imports it has to set it first.
 */
export function readOpenApi(
  text: string,
  file: string,
  around: ManifestSurroundings,
): Result<ReadOpenApi, readonly string[]> {
  const name = basename(file);
  if (Buffer.byteLength(text) > LIMITS.openApiFileBytesMax)
    return err([`${name} is larger than ${LIMITS.openApiFileBytesMax / 1024} KB.`]);
  const secrets = linesWithSecrets(text);
  if (secrets.length > 0)
    return err(secrets.map((line) => `${name}:${line} holds a secret. Take it out, and make it void.`));
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    return err(
      document.errors.slice(0, 5).map(({ pos, message }) => {
        const { line } = lines.linePos(pos[0]);
        return `${name}:${line} cannot be read: ${showLine(message).slice(0, 200)}`;
      }),
    );
  let root: unknown;
  try {
    root = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return err([`${name} unfolds without end: its aliases are too many.`]);
  }
  return new Reader(isRecord(root) ? root : {}, document, lines, name).read(around);
}

const ALIASES_MAX = 100;

function linesWithSecrets(text: string): number[] {
  const redact = makeRedactor([]);
  if (redact(text) === text) return [];
  const found = text.split("\n").flatMap((line, i) => (redact(line) === line ? [] : [i + 1]));
  return found.length > 0 ? found.slice(0, 5) : [1];
}

type Path = readonly (string | number)[];
type Json = Record<string, unknown>;

/** Why an operation is not taken; the rest of the document is. */
class LeftOut extends Error {}

class Reader {
  readonly #root: Json;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #file: string;
  readonly #problems: string[] = [];
  #nodes = 0;

  constructor(root: Json, document: Document, lines: LineCounter, file: string) {
    this.#root = root;
    this.#document = document;
    this.#lines = lines;
    this.#file = file;
  }

  read(around: ManifestSurroundings): Result<ReadOpenApi, readonly string[]> {
    const version = this.#root["openapi"] ?? this.#root["swagger"];
    if (typeof this.#root["openapi"] !== "string" || !/^3\.[01]\.\d+$/.test(this.#root["openapi"]))
      return err([
        this.#at(
          ["openapi" in this.#root ? "openapi" : "swagger"],
          `is version ${showLine(JSON.stringify(version) ?? "none").slice(0, 40)}; OpenAPI 3.0 and 3.1 can be imported.`,
        ),
      ]);
    const server = this.#server();
    const actions: Record<string, ActionSpec> = {};
    const places = new Map<string, Path>();
    const leftOut: string[] = [];
    const paths = recordOf(this.#root["paths"]);
    for (const [path, item] of Object.entries(paths))
      for (const verb of VERBS) {
        const operation = recordOf(item)[verb];
        if (!isRecord(operation)) continue;
        const at = ["paths", path, verb];
        const name = this.#name(operation, verb, path, actions);
        try {
          const http = this.#request(server, path, verb, recordOf(item), operation, at);
          const said = operation["summary"] ?? operation["description"];
          actions[name] = {
            kind: "http",
            task: "http",
            ...(typeof said === "string" && said.trim() !== ""
              ? { description: showLine(said).slice(0, DESCRIPTION_CHARS_MAX) }
              : {}),
            http,
          };
          places.set(name, at);
        } catch (error) {
          if (!(error instanceof LeftOut)) throw error;
          leftOut.push(this.#at(at, `was left out: ${error.message}`));
        }
      }
    const count = Object.keys(actions).length;
    if (this.#problems.length === 0 && count === 0)
      this.#problems.push(
        `${this.#file} has no operation that can be imported.${leftOut.map((each) => `\n${each}`).join("")}`,
      );
    if (count > OPERATIONS_MAX)
      this.#problems.push(`${this.#file} has ${count} operations; ${OPERATIONS_MAX} are taken at once.`);
    const manifest: Manifest = { connections: {}, actions };
    for (const { path, says } of manifestProblems(manifest, around)) {
      const [, action = "", , field] = path;
      const place = field === "url" ? ["servers", 0, "url"] : (places.get(action) ?? []);
      this.#problems.push(
        this.#at(place, `${showLine(action)}: \`${showLine(path.slice(2).join("."))}\` ${says}`),
      );
    }
    return this.#problems.length > 0 ? err([...new Set(this.#problems)]) : ok({ manifest, leftOut });
  }

  #server(): string {
    const servers = this.#root["servers"];
    const first = Array.isArray(servers) ? recordOf(servers[0]) : {};
    const url = first["url"];
    const at = ["servers", 0, "url"];
    if (typeof url !== "string" || !/^https?:\/\//i.test(url))
      this.#problems.push(this.#at(at, "must be a whole address, such as https://api.example.com/v1."));
    else if (url.includes("{"))
      this.#problems.push(this.#at(at, "has a variable in it. What is asked must be fixed."));
    else return url.replace(/\/+$/, "");
    return "https://invalid.example";
  }

  #name(operation: Json, verb: string, path: string, taken: object): string {
    const own = typeof operation["operationId"] === "string" ? operation["operationId"] : `${verb} ${path}`;
    const wanted = [this.#prefix(), slug(own)]
      .filter(Boolean)
      .join("-")
      .slice(0, NAME_CHARS_MAX - 3);
    const plain = wanted.replace(/-+$/, "");
    for (let n = 1; ; n++) {
      const name = n === 1 ? plain : `${plain}-${n}`;
      if (!Object.hasOwn(taken, name)) return name;
    }
  }

  #prefix(): string {
    const { title } = recordOf(this.#root["info"]);
    return (
      slug(typeof title === "string" ? title : "api")
        .slice(0, 24)
        .replace(/-+$/, "") || "api"
    );
  }

  #request(
    server: string,
    path: string,
    verb: string,
    item: Json,
    operation: Json,
    at: Path,
  ): HttpRequestSpec {
    const properties: Json = {};
    const required: string[] = [];
    const query: string[] = [];
    const listed = [...listOf(item["parameters"]), ...listOf(operation["parameters"])];
    const url = path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => `{{${variable(name)}}}`);
    for (const each of listed) {
      const parameter = this.#resolved(each, at);
      const { name, in: place } = parameter;
      if (typeof name !== "string") throw new LeftOut("a parameter has no name");
      if (place === "header" || place === "cookie") {
        if (parameter["required"] === true && !/^(accept|content-type|authorization)$/i.test(name))
          throw new LeftOut(`it needs the ${place} ${showLine(name).slice(0, 60)}`);
        continue;
      }
      const key = variable(name);
      if (key !== name) throw new LeftOut(`the parameter ${showLine(name).slice(0, 60)} has no plain name`);
      properties[key] = this.#schema(parameter["schema"] ?? { type: "string" }, [...at, "parameters"]);
      if (place === "query") query.push(key);
      if (place === "path" || parameter["required"] === true) required.push(key);
    }
    for (const [, name = ""] of path.matchAll(/\{([^}]+)\}/g))
      if (!Object.hasOwn(properties, variable(name))) {
        properties[variable(name)] = { type: "string" };
        required.push(variable(name));
      }
    const body = this.#body(operation["requestBody"], at, properties, required);
    const headers = this.#credentials(operation, at);
    return {
      method: verb.toUpperCase() as HttpRequestSpec["method"],
      url: `${server}${url}`,
      ...(query.length > 0 ? { query } : {}),
      ...(Object.keys(headers).length > 0 ? { headers } : {}),
      body: body ? "json" : "none",
      input_schema: {
        type: "object",
        properties,
        ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
        additionalProperties: false,
      },
    };
  }

  /** The fields of a JSON object stand beside the other inputs. */
  #body(given: unknown, at: Path, properties: Json, required: string[]): boolean {
    if (given === undefined) return false;
    const content = recordOf(this.#resolved(given, at)["content"]);
    const type = Object.keys(content).find((each) => /^application\/(?:[\w.-]+\+)?json\b/i.test(each));
    if (type === undefined) throw new LeftOut("its body is not JSON");
    const schema = this.#schema(recordOf(content[type])["schema"] ?? {}, [...at, "requestBody"]);
    if (!isRecord(schema["properties"])) throw new LeftOut("its body is no object with named fields");
    for (const [name, each] of Object.entries(schema["properties"])) {
      if (Object.hasOwn(properties, name))
        throw new LeftOut(`${showLine(name).slice(0, 60)} is both a parameter and a field of its body`);
      properties[name] = each;
    }
    required.push(...listOf(schema["required"]).filter((each) => typeof each === "string"));
    return true;
  }

  /** A key as a header that names a variable. */
  #credentials(operation: Json, at: Path): Record<string, string> {
    const wanted = listOf(operation["security"] ?? this.#root["security"]).map(recordOf);
    if (wanted.length === 0 || wanted.some((each) => Object.keys(each).length === 0)) return {};
    const schemes = recordOf(recordOf(this.#root["components"])["securitySchemes"]);
    const variableName = this.#prefix().toUpperCase().replaceAll("-", "_");
    for (const choice of wanted) {
      const headers: Record<string, string> = {};
      const known = Object.keys(choice).every((name) => {
        const scheme = this.#resolved(schemes[name], at);
        const { type, scheme: kind, in: place, name: header } = scheme;
        if (type === "apiKey" && place === "header" && typeof header === "string")
          headers[header] = `\${${variableName}_KEY}`;
        else if (
          type === "oauth2" ||
          type === "openIdConnect" ||
          (type === "http" && /^bearer$/i.test(String(kind)))
        )
          headers["authorization"] = `Bearer \${${variableName}_TOKEN}`;
        else if (type === "http" && /^basic$/i.test(String(kind)))
          headers["authorization"] = `Basic \${${variableName}_LOGIN}`;
        else return false;
        return true;
      });
      if (known) return headers;
    }
    throw new LeftOut("it wants its key in a way that is not supported");
  }

  /** What a `$ref` stands for. */
  #resolved(value: unknown, at: Path, following: readonly string[] = []): Json {
    const record = recordOf(value);
    const ref = record["$ref"];
    if (typeof ref !== "string") return record;
    return this.#resolved(this.#target(ref, at, following), at, [...following, ref]);
  }

  #target(ref: string, at: Path, following: readonly string[]): unknown {
    const shown = showLine(ref).slice(0, 80);
    const refuse = (says: string) => {
      this.#problems.push(this.#at(at, says));
      return undefined;
    };
    if (!ref.startsWith("#/")) return refuse(`refers to another document, "${shown}".`);
    if (following.includes(ref)) return refuse(`refers to itself by "${shown}".`);
    const steps = ref
      .slice(2)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    let target: unknown = this.#root;
    for (const step of steps)
      target = isRecord(target) && Object.hasOwn(target, step) ? target[step] : undefined;
    return target === undefined ? refuse(`refers to "${shown}", which is not there.`) : target;
  }

  /** A schema by itself: what it refers to stands in it, and only what a check needs is left. */
  #schema(value: unknown, at: Path, following: readonly string[] = []): Json {
    const record = recordOf(value);
    if (++this.#nodes > SCHEMA_NODES_MAX) throw new LeftOut("its schema is too large");
    const ref = record["$ref"];
    if (typeof ref === "string")
      return this.#schema(this.#target(ref, at, following), at, [...following, ref]);
    const part = (each: unknown) => this.#schema(each, at, following);
    const schema: Json = {};
    for (const [key, each] of Object.entries(record)) {
      if (PLAIN_KEYWORDS.has(key)) schema[key] = each;
      else if (key === "description" && typeof each === "string")
        schema[key] = showLine(each).slice(0, DESCRIPTION_CHARS_MAX);
      else if (key === "properties" && isRecord(each))
        schema[key] = Object.fromEntries(Object.entries(each).map(([name, one]) => [name, part(one)]));
      else if (key === "items" || key === "not") schema[key] = part(each);
      else if (key === "additionalProperties") schema[key] = typeof each === "boolean" ? each : part(each);
      else if (key === "oneOf" || key === "anyOf" || key === "allOf") schema[key] = listOf(each).map(part);
      else if (/^exclusive(Minimum|Maximum)$/.test(key) && typeof each === "number") schema[key] = each;
    }
    // As OpenAPI 3.0 writes it.
    if (record["nullable"] === true && typeof schema["type"] === "string")
      schema["type"] = [schema["type"], "null"];
    return schema;
  }

  #at(path: Path, says: string): string {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
      const start = node?.range?.[0];
      if (start !== undefined)
        return `${this.#file}:${this.#lines.linePos(start).line} \`${path.map((each) => showLine(String(each))).join(".")}\` ${says}`;
    }
    return `${this.#file}:1 ${says}`;
  }
}

const PLAIN_KEYWORDS = new Set([
  "type",
  "enum",
  "const",
  "format",
  "required",
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

function slug(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** As a template names it. */
function variable(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(\d)/, "_$1");
}

function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
