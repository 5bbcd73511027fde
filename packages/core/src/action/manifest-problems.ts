import { isRecord } from "../base/is-record.ts";
import { parseAddress, addressKind } from "../net/address.ts";
import { isLoopbackHost } from "../net/base-url.ts";
import type { ActionSpec, ConnectionSpec, Manifest } from "./action-spec.ts";
import { templateProblem, variablesOf } from "./template.ts";
import { parseTrn, parseVersion } from "./trn.ts";

/** Something wrong with a manifest: where, and a phrase that goes on from it ("`actions.a.connection` …"). */
export interface ManifestProblem {
  readonly path: readonly string[];
  readonly says: string;
}

export interface ManifestSurroundings {
  /** Connections that are stored already. */
  readonly knownConnection: (name: string, version: number | "latest") => boolean;
  /** Private origins that the owner configured. */
  readonly openOrigins: ReadonlySet<string>;
}

/** What the shape of a manifest cannot say: that its parts fit together, and that nothing in it reaches where it should not. */
export function manifestProblems(manifest: Manifest, around: ManifestSurroundings): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  for (const [name, connection] of Object.entries(manifest.connections))
    problems.push(...connectionProblems(["connections", name], connection, around));
  for (const [name, action] of Object.entries(manifest.actions))
    problems.push(...actionProblems(["actions", name], action, manifest, around));
  return problems;
}

function connectionProblems(
  path: readonly string[],
  spec: ConnectionSpec,
  { openOrigins }: ManifestSurroundings,
): ManifestProblem[] {
  const at = (key: string, says: string) => ({ path: [...path, key], says });
  const problems: ManifestProblem[] = [];
  if (spec.token !== undefined && !VARIABLE.test(spec.token))
    problems.push(
      at(
        "token",
        "holds a secret. Write the name of a variable, ${NAME}, and keep the secret out of the file.",
      ),
    );
  for (const [name, value] of Object.entries(spec.default_headers ?? {}))
    for (const says of headerProblems(name, value))
      problems.push({ path: [...path, "default_headers", name], says });
  for (const key of ["api_base", "proxy"] as const) {
    const says = privateProblem(spec[key], openOrigins);
    if (says !== undefined) problems.push(at(key, says));
  }
  return problems;
}

function actionProblems(
  path: readonly string[],
  spec: ActionSpec,
  manifest: Manifest,
  { knownConnection, openOrigins }: ManifestSurroundings,
): ManifestProblem[] {
  const at = (key: string, says: string) => ({ path: [...path, ...key.split(".")], says });
  const problems: ManifestProblem[] = [];
  if (spec.connection !== undefined) {
    const { name, version } = splitVersion(spec.connection);
    if (version === undefined)
      problems.push(at("connection", "has no version after @: write @v1 or @latest."));
    // A version that is only being imported has no number yet.
    else if (
      !(version === "latest" && Object.hasOwn(manifest.connections, name)) &&
      !knownConnection(name, version)
    )
      problems.push(
        at(
          "connection",
          version === "latest"
            ? `names a connection that is not there: "${name}".`
            : `names a version that is not there: "${name}@v${version}".`,
        ),
      );
  }
  for (const [name, text] of Object.entries(spec.templates ?? {})) {
    const says = templateProblem(text);
    if (says !== undefined) problems.push(at(`templates.${name}`, `${says}.`));
  }
  const system = spec.system === undefined ? undefined : templateProblem(spec.system);
  if (system !== undefined) problems.push(at("system", `${system}.`));
  for (const [key, schema] of [
    ["json_schema", spec.json_schema],
    ["http.input_schema", spec.http?.input_schema],
  ] as const) {
    const says = schema === undefined ? undefined : refProblem(schema);
    if (says !== undefined) problems.push(at(key, says));
  }
  for (const [i, tool] of (spec.tool_calls ?? []).entries()) {
    const where = [...path, "tool_calls", String(i)];
    if (tool.tool_trn.startsWith("trn:")) {
      const trn = parseTrn(tool.tool_trn);
      if (!trn.ok) problems.push({ path: where, says: `names no tool: ${trn.error}` });
      else if (trn.value.kind !== "http" || trn.value.type !== "action")
        problems.push({ path: where, says: "names no tool: only an http action is one." });
    }
    const says = tool.schema === undefined ? undefined : refProblem(tool.schema);
    if (says !== undefined) problems.push({ path: where, says });
  }
  if (spec.http) {
    for (const [name, value] of Object.entries(spec.http.headers ?? {}))
      for (const says of CREDENTIAL_HEADERS.has(name.toLowerCase())
        ? credentialProblems(value)
        : headerProblems(name, value))
        problems.push({ path: [...path, "http", "headers", name], says });
    problems.push(...urlProblems(spec.http.url, openOrigins).map((says) => at("http.url", says)));
  }
  for (const stage of ["before", "after"] as const) {
    const says = privateProblem(spec.moderation?.[stage]?.url, openOrigins);
    if (says !== undefined) problems.push(at(`moderation.${stage}`, says));
  }
  return problems;
}

/** `name@v3` in its parts; `version` is undefined where what follows the @ is none. */
export function splitVersion(text: string): {
  readonly name: string;
  readonly version: number | "latest" | undefined;
} {
  const at = text.lastIndexOf("@");
  return at < 0
    ? { name: text, version: "latest" }
    : { name: text.slice(0, at), version: parseVersion(text.slice(at + 1)) };
}

/** `${NAME}`, and nothing beside it. */
export const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}$/;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** These say who is asked, with what, and how the bytes travel: not for a file to set. */
const OWN_HEADERS = new Set([
  "authorization",
  "x-api-key",
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "cookie",
  "proxy-authorization",
  "upgrade",
  "te",
  "trailer",
]);

/** With these a service knows who asks: what they hold is a secret. */
const CREDENTIAL_HEADERS = new Set(["authorization", "x-api-key"]);

function credentialProblems(value: string): string[] {
  return /^(?:(?:Bearer|Basic|Token) )?\$\{[A-Z][A-Z0-9_]{0,63}\}$/.test(value)
    ? []
    : ["holds a secret. Write the name of a variable, ${NAME}, and keep the secret out of the file."];
}

function headerProblems(name: string, value: string): string[] {
  if (!HEADER_NAME.test(name)) return ["is not the name of a header."];
  if (OWN_HEADERS.has(name.toLowerCase())) return ["is a header that Elwood itself sends. Leave it out."];
  // oxlint-disable-next-line no-control-regex -- exactly these would begin another header
  if (/[\u0000-\u0008\u000A-\u001F\u007F]/.test(value))
    return ["holds a line break or another control character."];
  return [];
}

function privateProblem(address: string | undefined, openOrigins: ReadonlySet<string>): string | undefined {
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    return "is no address with http:// or https://.";
  if (url.username !== "" || url.password !== "")
    return "holds a secret. Leave name and password out of the address.";
  if (openOrigins.has(url.origin) || !isPrivateHost(url.hostname)) return undefined;
  return `leads to a private address. Add ${url.origin} to \`web.allowedOrigins\` if that is meant.`;
}

function isPrivateHost(host: string): boolean {
  if (isLoopbackHost(host) || /(^|\.)(localhost|local|internal|lan|home\.arpa)$/i.test(host)) return true;
  const bytes = parseAddress(host.replace(/^\[|\]$/g, ""));
  return bytes !== undefined && addressKind(bytes) !== "global";
}

function urlProblems(address: string, openOrigins: ReadonlySet<string>): string[] {
  const broken = templateProblem(address);
  if (broken !== undefined) return [`${broken}.`];
  const origin = /^https?:\/\/[^/?#]*/i.exec(address)?.[0] ?? "";
  if (variablesOf(origin).length > 0) return ["has a variable in its host. What is asked must be fixed."];
  const says = privateProblem(origin, openOrigins);
  return says === undefined ? [] : [says];
}

const SCHEMA_NODES_MAX = 5_000;
const SCHEMA_DEPTH_MAX = 40;

/** A schema that refers to itself could be checked for ever, and one that refers elsewhere would have to be fetched. */
function refProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  let nodes = 0;
  const visit = (node: unknown, depth: number, following: readonly string[]): string | undefined => {
    if (++nodes > SCHEMA_NODES_MAX || depth > SCHEMA_DEPTH_MAX) return "is nested too deeply or too large.";
    if (Array.isArray(node)) return firstProblem(node.map((each) => () => visit(each, depth + 1, following)));
    if (!isRecord(node)) return undefined;
    const ref = node["$ref"] ?? node["$dynamicRef"] ?? node["$recursiveRef"];
    if (typeof ref === "string") {
      if (!ref.startsWith("#")) return `refers to another document, "${ref.slice(0, 80)}".`;
      if (following.includes(ref)) return `refers to itself by "${ref.slice(0, 80)}".`;
      const target = pointed(schema, ref);
      if (target === undefined) return `refers to "${ref.slice(0, 80)}", which is not there.`;
      const wrong = visit(target, depth + 1, [...following, ref]);
      if (wrong !== undefined) return wrong;
    }
    return firstProblem(Object.values(node).map((each) => () => visit(each, depth + 1, following)));
  };
  return visit(schema, 0, ["#"]);
}

function firstProblem(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const says = check();
    if (says !== undefined) return says;
  }
  return undefined;
}

function pointed(root: unknown, ref: string): unknown {
  if (ref === "#") return root;
  let at = root;
  for (const step of ref.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isRecord(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}
