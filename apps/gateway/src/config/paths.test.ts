import { expect, test } from "vitest";
import { storageFailure } from "@elwood/platform/storage-failure";
import { bindFailure } from "./bind.ts";
import { isLoopbackHost, parseBaseUrl, sendsKeyInClear } from "@elwood/core/net/base-url";
import { chooseModel } from "@elwood/providers/choose-model";
import { statePaths } from "@elwood/platform/state-paths";
import { closest, editDistance } from "@elwood/core/base/suggest";

test("EL-1: every path of the state lies under the one state directory", () => {
  const paths = Object.values(statePaths("/state"));
  expect(paths.every((path: string) => path === "/state" || path.startsWith("/state/"))).toBe(true);
  expect(new Set(paths).size).toBe(paths.length);
});

test.each([
  ["EACCES", "STORAGE", "may not be written by this user"],
  ["EROFS", "STORAGE", "read-only disk"],
  ["ENOTDIR", "STORAGE", "not a folder"],
  ["ENOSPC", "STORAGE_FULL", "disk is full"],
  ["EIO", "STORAGE", "(EIO)"],
])("a disk that answers %s is told in words with what to do", (code, reason, words) => {
  const told = storageFailure(Object.assign(new Error("x"), { code }), "/state", "Set ELWOOD_HOME.");
  expect(told.reason).toBe(reason);
  expect(told.message).toContain(words);
  expect(told.message).toMatch(/Set ELWOOD_HOME|Free some space/);
});

test("listening beyond this machine needs a token that the owner set, and says what it means", () => {
  expect(bindFailure("127.0.0.1", false)).toBeUndefined();
  expect(bindFailure("::1", false)).toBeUndefined();
  expect(bindFailure("localhost", false)).toBeUndefined();
  expect(bindFailure("0.0.0.0", true)).toBeUndefined();
  expect(bindFailure("0.0.0.0", false)?.message).toMatch(/every machine.*did not start.*ELWOOD_TOKEN/s);
  expect(bindFailure("127.0.0.1.example.com", false)).toBeDefined();
});

test("an address of a model server is http or https, without credentials or a query", () => {
  expect(parseBaseUrl("http://127.0.0.1:8000/v1/")).toEqual({ ok: true, value: "http://127.0.0.1:8000/v1" });
  for (const bad of ["127.0.0.1:8000", "ftp://x", "https://me:pw@x", "https://x/?a=b", "file:///etc", ""]) {
    expect(parseBaseUrl(bad).ok, bad).toBe(false);
  }
  expect(sendsKeyInClear("http://10.0.0.2/v1")).toBe(true);
  expect(sendsKeyInClear("http://127.0.0.1/v1")).toBe(false);
  expect(isLoopbackHost("[::1]")).toBe(true);
});

test("without a configured model the first provider with a key decides, and without a key the demo answers", () => {
  expect(chooseModel("openai/gpt-5.4-mini", [])).toEqual({ provider: "openai", model: "gpt-5.4-mini" });
  expect(chooseModel(undefined, ["openai", "anthropic"]).provider).toBe("anthropic");
  expect(chooseModel(undefined, ["openai"]).provider).toBe("openai");
  expect(chooseModel(undefined, ["my-llm"])).toEqual({ provider: "demo", model: "scripted" });
});

test("a guess is made only where it is near", () => {
  expect(editDistance("port", "prot")).toBe(1);
  expect(closest("prot", ["port", "host"])).toBe("port");
  expect(closest("allowed_origins", ["allowedOrigins", "allowedHosts"])).toBe("allowedOrigins");
  expect(closest("x", ["port", "host"])).toBeUndefined();
  expect(closest("zebra", ["port", "host"])).toBeUndefined();
});
