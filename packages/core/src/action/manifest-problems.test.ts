import { expect, test } from "vitest";
import type { ActionSpec, ConnectionSpec } from "./action-spec.ts";
import { manifestProblems } from "./manifest-problems.ts";

const around = {
  knownConnection: (name: string, version: number | "latest") =>
    name === "stored" && (version === "latest" || version <= 2),
  openOrigins: new Set(["http://127.0.0.1:11434"]),
};
const connection: ConnectionSpec = { kind: "llm", provider: "openai" };
const action: ActionSpec = { kind: "llm", task: "chat", connection: "mine", model: "m" };

function says(c: Partial<ConnectionSpec>, a: Partial<ActionSpec> = {}): string[] {
  const manifest = { connections: { mine: { ...connection, ...c } }, actions: { ask: { ...action, ...a } } };
  return manifestProblems(manifest, around).map(({ path, says: text }) => `${path.join(".")} ${text}`);
}

test("a manifest whose parts fit together has no problems", () => {
  const json_schema = {
    $defs: { a: { type: "string" } },
    properties: { x: { $ref: "#/$defs/a" }, y: { $ref: "#/$defs/a" } },
  };
  expect(
    says(
      { token: "${KEY}", api_base: "http://127.0.0.1:11434/v1", default_headers: { "x-team": "home" } },
      {
        connection: "stored@v2",
        templates: { greet: "Hi {{name}}" },
        json_schema,
        tool_calls: [{ tool_trn: "files.file.read" }],
      },
    ),
  ).toEqual([]);
  expect(says({ api_base: "https://93.184.215.14/v1" })).toEqual([]);
});

test.each<[string, Partial<ConnectionSpec>, Partial<ActionSpec>, string]>([
  ["a secret in the file", { token: "canary-secret-0001" }, {}, "connections.mine.token holds a secret"],
  [
    "a header in a header",
    { default_headers: { "x-a": "1\r\nx-b: 2" } },
    {},
    "default_headers.x-a holds a line break",
  ],
  [
    "a header of Elwood's own",
    { default_headers: { Authorization: "x" } },
    {},
    "is a header that Elwood itself sends",
  ],
  ["a private address", { api_base: "http://192.168.1.5:8000" }, {}, "leads to a private address"],
  [
    "this machine under another port",
    { proxy: "http://127.0.0.1:3128" },
    {},
    "connections.mine.proxy leads to a private",
  ],
  [
    "a password in an address",
    { proxy: "http://me:canary-0002@proxy.example:3128" },
    {},
    "connections.mine.proxy holds a secret",
  ],
  ["a metadata server", { api_base: "http://169.254.169.254" }, {}, "leads to a private address"],
  ["an unknown connection", {}, { connection: "nobody" }, 'not there: "nobody"'],
  ["an unknown version", {}, { connection: "stored@v3" }, '"stored@v3"'],
  ["a version that is none", {}, { connection: "stored@new" }, "has no version after @"],
  [
    "a schema that refers to itself",
    {},
    { json_schema: { properties: { a: { $ref: "#" } } } },
    'refers to itself by "#"',
  ],
  [
    "a schema in a circle",
    {},
    { json_schema: { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" } },
    "refers to itself",
  ],
  [
    "a schema from elsewhere",
    {},
    { json_schema: { $ref: "https://example.com/s.json" } },
    "refers to another document",
  ],
  ["a template with a hole", {}, { templates: { a: "{{ a b }}" } }, "actions.ask.templates.a has {{"],
  [
    "a host that the input chooses",
    {},
    { kind: "http", task: "http", http: { method: "GET", url: "https://{{host}}/x" } },
    "has a variable in its host",
  ],
  [
    "a tool that is an llm action",
    {},
    { tool_calls: [{ tool_trn: "trn:elwood:default:action/llm/x@v1" }] },
    "only an http action",
  ],
])("a bad manifest is refused: %s", (_what, c, a, expected) => {
  expect(says(c, a).join("\n")).toContain(expected);
});
