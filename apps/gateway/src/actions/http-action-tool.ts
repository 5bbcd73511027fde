import type { ActionSpec, HttpRequestSpec } from "@elwood/core/action/action-spec";
import { variablesOf } from "@elwood/core/action/template";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { isRecord } from "@elwood/core/base/is-record";
import { showLine } from "@elwood/core/base/show";
import { sha256 } from "@elwood/platform/system";
import { defineTool, result, ToolError, type ToolDefinition } from "@elwood/sdk/tool";
import { lazySchema, shownSchema } from "../mcp/tool-schema.ts";

/** The tool that an http action is. */
export function httpToolId(action: string): string {
  const plain = action.replaceAll(/[._]+/g, "-").replaceAll(/^-+|-+$/g, "");
  return `action.http.${/^[a-z]/.test(plain) ? plain : `n-${plain}`}`;
}

const ANSWER_CHARS_MAX = 100_000;
const SECRET = /\$\{([A-Z][A-Z0-9_]{0,63})\}/g;

/**
 * An http action as a tool: one request to one host, behind the gate like any other tool. Nothing that a file
 * says of it lowers anything: what is not a GET counts as destructive, and every call asks until the owner says
 * otherwise. The error is a sentence.
 */
export function httpActionTool(name: string, spec: ActionSpec): ToolDefinition | string {
  const { http } = spec;
  if (!http) return `The action ${showLine(name)} was left out: it has no \`http\`.`;
  const schema = shownSchema(http.input_schema ?? inputFromUrl(http));
  if ("problem" in schema) return `The action ${showLine(name)} was left out: ${schema.problem}.`;
  const { origin } = new URL(http.url.replaceAll(/\{\{[^}]*\}\}/g, "x"));
  const secrets = [...new Set(Object.values(http.headers ?? {}).flatMap(secretsIn))];
  const made = defineTool({
    id: httpToolId(name),
    description: `The action "${showLine(name)}": ${http.method} ${showLine(http.url)}${spec.description === undefined ? "" : `. Its file says: «${showLine(spec.description).replaceAll(/[«»]/g, '"')}»`}`,
    risk: http.method === "GET" ? "read" : "destructive",
    input: lazySchema({ type: "object", ...schema.schema }),
    hosts: [origin],
    secrets,
    ...(spec.limits?.timeout_ms === undefined ? {} : { timeoutMs: spec.limits.timeout_ms }),
    target: () => new URL(origin).host,
    async handler(input, ctx) {
      const values = isRecord(input) ? input : {};
      const answer = await ctx.fetch(addressOf(http, values), {
        method: http.method,
        headers: headersOf(http, ctx.secrets),
        ...bodyOf(http, values),
        signal: ctx.signal,
      });
      const text = (await answer.text()).slice(0, ANSWER_CHARS_MAX);
      // The other side answered that it did not do it.
      if (answer.status >= 400) throw new ToolError("http", `${answer.status}: ${text.slice(0, 1_000)}`);
      return result({ status: answer.status, body: valueOf(text) }, { text });
    },
  });
  // Whatever of the request changes, the owner's word on the tool was for another.
  return { ...made, code: sha256(`elwood.http-action.v1\n${canonicalJson(http)}`) };
}

function inputFromUrl({ url, body, query = [] }: HttpRequestSpec): Record<string, unknown> {
  const names = variablesOf(url);
  return {
    type: "object",
    properties: Object.fromEntries(
      [...names, ...query].map((name) => [name, { type: ["string", "number", "boolean"] }]),
    ),
    required: names,
    additionalProperties: body === "json",
  };
}

/** A value never becomes more than its own place in the address: not another path, host or parameter. */
function addressOf({ url, query = [] }: HttpRequestSpec, values: Readonly<Record<string, unknown>>): string {
  const filled = url.replaceAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g, (_whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")
      throw new ToolError("input", `There is no value for ${name}. Nothing was sent.`);
    const written = String(value);
    if (/^\.{1,2}$/.test(written))
      throw new ToolError("input", `${name} must not be a path. Nothing was sent.`);
    return encodeURIComponent(written);
  });
  const more = new URLSearchParams(
    query.flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      const each = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
      return each.map((one): [string, string] => [name, typeof one === "string" ? one : JSON.stringify(one)]);
    }),
  ).toString();
  return more === "" ? filled : `${filled}${filled.includes("?") ? "&" : "?"}${more}`;
}

function headersOf(
  { headers = {}, body }: HttpRequestSpec,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  const filled = Object.entries(headers).map(([key, value]) => [
    key,
    value.replaceAll(SECRET, (_whole, name: string) => secrets[name] ?? ""),
  ]);
  return {
    accept: "application/json",
    ...(body === "json" ? { "content-type": "application/json" } : {}),
    ...(Object.fromEntries(filled) as Record<string, string>),
  };
}

function bodyOf(
  { body, url, method, query = [] }: HttpRequestSpec,
  values: Readonly<Record<string, unknown>>,
): { readonly body: string } | undefined {
  if (body !== "json" || method === "GET") return undefined;
  const inUrl = new Set([...variablesOf(url), ...query]);
  return {
    body: JSON.stringify(Object.fromEntries(Object.entries(values).filter(([name]) => !inUrl.has(name)))),
  };
}

function secretsIn(value: string): string[] {
  return [...value.matchAll(SECRET)].map((found) => found[1]!);
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
