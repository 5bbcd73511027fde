import { describe, expect, test } from "vitest";
import { EVENT_NAMES } from "./events.ts";
import { protocolJsonSchema } from "./json-schema.ts";
import { METHOD_NAMES } from "./methods.ts";

interface ObjectSchema {
  readonly type?: string;
  readonly properties?: Record<string, ObjectSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}
interface Document {
  readonly frames: Record<string, ObjectSchema>;
  readonly methods: Record<
    string,
    { summary: string; scope: string; params: ObjectSchema; result: ObjectSchema }
  >;
  readonly events: Record<string, ObjectSchema>;
}

// Through text, as a client in another language reads it.
const document = JSON.parse(JSON.stringify(protocolJsonSchema())) as Document;
const fields = (schema: ObjectSchema | undefined) => Object.keys(schema?.properties ?? {});

describe("the protocol as JSON Schemas", () => {
  test("holds every method and every push", () => {
    expect(Object.keys(document.methods).sort()).toEqual([...METHOD_NAMES].sort());
    expect(Object.keys(document.events).sort()).toEqual([...EVENT_NAMES].sort());
  });

  test.each(METHOD_NAMES)("%s takes an object without unknown keys and answers an object", (name) => {
    const { params, result, summary } = document.methods[name]!;
    expect(params).toMatchObject({ type: "object", additionalProperties: false });
    expect(result).toMatchObject({ type: "object" });
    expect(summary).toMatch(/^[A-Z].*\.$/);
  });

  test("has all five frames", () => {
    expect(Object.keys(document.frames).sort()).toEqual(["auth", "authOk", "push", "request", "response"]);
  });
});

/** Names that clients written before this gateway rely on: none may be renamed or taken away. */
describe("JV-2: the methods", () => {
  test.each([
    ["health.check", [], ["status", "uptime"]],
    ["agents.list", [], ["agents"]],
    ["sessions.create", ["agentId"], ["sessionKey"]],
    ["sessions.list", [], ["sessions"]],
    ["sessions.get", ["sessionKey"], ["session", "messages"]],
    ["chat.send", ["sessionKey", "message"], ["runId"]],
    ["chat.history", ["sessionKey", "limit"], ["messages"]],
    ["chat.abort", ["runId"], ["ok"]],
  ])("%s takes %j and answers %j", (name, params, result) => {
    const method = document.methods[name];
    expect(fields(method?.params)).toEqual(expect.arrayContaining(params));
    expect(method?.result.required).toEqual(expect.arrayContaining(result));
  });

  test("ask for nothing more than they did: every later parameter is optional", () => {
    const required = Object.fromEntries(
      Object.entries(document.methods).map(([name, { params }]) => [name, params.required ?? []]),
    );
    expect(required).toMatchObject({
      "health.check": [],
      "agents.list": [],
      "sessions.create": [],
      "sessions.list": [],
      "sessions.get": ["sessionKey"],
      "chat.send": ["sessionKey", "message"],
      "chat.history": ["sessionKey"],
      "chat.abort": ["runId"],
    });
  });
});

describe("JV-3: the pushes", () => {
  test.each([
    ["chat.delta", ["runId", "text"]],
    ["chat.final", ["runId", "usage"]],
    ["chat.error", ["runId", "message"]],
    ["tool.progress", ["runId", "tool", "message"]],
  ])("%s carries %j", (name, names) => {
    expect(document.events[name]?.required).toEqual(expect.arrayContaining(names));
  });

  test("chat.final counts tokens in and out under the names that clients know", () => {
    expect(fields(document.events["chat.final"]?.properties?.["usage"])).toEqual(
      expect.arrayContaining(["inputTokens", "outputTokens"]),
    );
  });

  test("every push of a run can be put in order", () => {
    for (const [name, schema] of Object.entries(document.events)) {
      // What waits for the owner, and what they took back, is told to all of their clients, whoever follows the run.
      if (name.startsWith("exec.") || name === "owner.question" || name === "call.undone") continue;
      if (fields(schema).includes("runId"))
        expect(schema.required, name).toEqual(expect.arrayContaining(["seq"]));
    }
  });
});
