import { expect, test } from "vitest";
import { formatTrn, parseTrn, parseVersion } from "./trn.ts";

test("AC-3: resource names are read and written with their version, and the older partition is accepted", () => {
  const trn = "trn:elwood:default:action/llm/chat-support@v12";
  const read = parseTrn(trn);
  expect(read).toEqual({
    ok: true,
    value: { tenant: "default", type: "action", kind: "llm", name: "chat-support", version: 12 },
  });
  if (read.ok) expect(formatTrn(read.value)).toBe(trn);
  expect(parseTrn("trn:openact:default:connection/llm/my-llm@latest")).toMatchObject({
    value: { type: "connection", name: "my-llm", version: "latest" },
  });
});

test.each([
  "trn:elwood:default:action/llm/chat",
  "trn:elwood:default:action/llm/chat@",
  "trn:elwood:default:action/llm/chat@v0",
  "trn:elwood:default:action/llm/chat@v1x",
  "trn:elwood:default:action/llm/../x@v1",
  "trn:elwood:default:action/llm/.x@v1",
  "trn:other:default:action/llm/chat@v1",
  "trn:elwood::action/llm/chat@v1",
  "trn:elwood:default:tool/llm/chat@v1",
])("what is no resource name is refused with a sentence: %s", (text) => {
  expect(parseTrn(text)).toEqual({ ok: false, error: expect.stringMatching(/\.$/) });
});

test("a version is a number from 1, or the latest", () => {
  expect(["latest", "v3", "3", "0", "v01", "1.0", "99999999999"].map(parseVersion)).toEqual([
    "latest",
    3,
    3,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
