import { describe, expect, test } from "vitest";
import { LIMITS } from "../base/limits.ts";
import { ORIGINS } from "../message/message.ts";
import { METHOD_NAMES, type MethodName, METHODS } from "./methods.ts";
import { RESULTS } from "./results.ts";

const accepts = (method: MethodName, params: unknown) => METHODS[method].params().safeParse(params).success;

test("every method has a result, and every result a method", () => {
  expect(Object.keys(RESULTS).sort()).toEqual([...METHOD_NAMES].sort());
});

test("only health.check is open to those who have not said who they are", () => {
  expect(METHOD_NAMES.filter((name) => METHODS[name].scope === "none")).toEqual(["health.check"]);
});

test("what handles credentials, tokens and logins needs the admin scope", () => {
  const sensitive = METHOD_NAMES.filter((name) => /^(auth|tokens|login)\./.test(name));
  expect(sensitive.length).toBeGreaterThan(0);
  for (const name of sensitive) expect(METHODS[name].scope, name).toBe("admin");
});

test.each(METHOD_NAMES)("%s refuses a key it does not know, a list and null", (name) => {
  expect(accepts(name, { surprise: 1 })).toBe(false);
  expect(accepts(name, [])).toBe(false);
  expect(accepts(name, null)).toBe(false);
});

describe("chat.send", () => {
  const send = (more: Record<string, unknown>) =>
    accepts("chat.send", { sessionKey: "s", message: "hello", ...more });

  test("takes a message, also an empty one beside parts", () => {
    expect(send({})).toBe(true);
    expect(send({ message: "", parts: [{ kind: "blob", blobId: "b", origin: "attached" }] })).toBe(true);
  });

  test("takes a message of the greatest length, and not one character more", () => {
    expect(send({ message: "x".repeat(LIMITS.messageCharsMax) })).toBe(true);
    expect(send({ message: "x".repeat(LIMITS.messageCharsMax + 1) })).toBe(false);
  });

  test("takes so many parts and no more", () => {
    const part = { kind: "text", text: "x", origin: "piped" };
    expect(send({ parts: Array.from({ length: LIMITS.partsPerMessageMax }, () => part) })).toBe(true);
    expect(send({ parts: Array.from({ length: LIMITS.partsPerMessageMax + 1 }, () => part) })).toBe(false);
  });

  test("lets no client speak as the model, a tool, the gateway, the clock or memory", () => {
    const allowed = ORIGINS.filter((origin) => send({ parts: [{ kind: "text", text: "x", origin }] }));
    expect(allowed).toEqual(["owner", "piped", "attached", "quoted", "forwarded"]);
  });

  test("never takes a file for the owner's own words", () => {
    const allowed = ORIGINS.filter((origin) => send({ parts: [{ kind: "blob", blobId: "b", origin }] }));
    expect(allowed).toEqual(["attached", "quoted", "forwarded"]);
  });
});

test.each([
  ["sessions.list", { limit: 0 }],
  ["sessions.list", { limit: LIMITS.pageSizeMax + 1 }],
  ["sessions.list", { limit: 1.5 }],
  ["sessions.list", { limit: "10" }],
  ["sessions.rename", { sessionKey: "s", title: "   " }],
  ["sessions.search", { query: "" }],
  ["sessions.export", { sessionKey: "s", format: "pdf" }],
  ["sessions.get", { sessionKey: "" }],
  ["chat.resume", { runId: "r", afterSeq: -1 }],
  ["auth.set", { provider: "../etc", secret: "x" }],
  ["auth.set", { provider: "x", secret: "x", baseUrl: "not a url" }],
  ["tokens.create", { name: "x", scopes: [] }],
  ["tokens.create", { name: "x", scopes: ["root"] }],
] as const)("%s refuses %j", (name, params) => {
  expect(accepts(name, params)).toBe(false);
});
