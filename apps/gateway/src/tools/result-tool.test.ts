import type { Message } from "@elwood/core/message/message";
import { frameUntrusted } from "@elwood/core/message/untrusted-frame";
import { testContext } from "@elwood/sdk/tool";
import { readAnswer, ToolError } from "@elwood/sdk/tool-answer";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { expect, test } from "vitest";
import { PAGE_CHARS, resultTool } from "./result-tool.ts";

const TENANT = "default";
const SESSION = "ses_00000000000000000000000001";
const OTHER = "ses_00000000000000000000000002";
const OUTPUT = Array.from({ length: 3_000 }, (_, i) => `line ${i + 1}`).join("\n");

/** A session whose running run has heard one call, and another session. */
async function scene() {
  const stores = memoryStores();
  for (const id of [SESSION, OTHER])
    await stores.sessions.create(TENANT, { id, agentId: "assistant", title: "", at: 0 });
  const inbound: Message = {
    id: "m1",
    ts: 0,
    role: "user",
    origin: "owner",
    blocks: [{ type: "text", text: "Read it." }],
  };
  const run = { id: "run_1", sessionId: SESSION, surface: "test", requestHash: "h", inbound, at: 0 };
  await stores.runs.accept(TENANT, run);
  await stores.runs.claim(TENANT, run.id, 0);
  const framed = frameUntrusted(OUTPUT, "0123456789abcdef");
  const text = `${framed}\n\nAlso on record, from Elwood's receipts:\n[c1] t.a.b: done`;
  await stores.runs.addStep(TENANT, run.id, {
    id: "m2",
    ts: 0,
    role: "tool",
    origin: "tool",
    blocks: [{ type: "tool_result", callId: "call_1", cite: "c1", status: "ok", text, shownChars: 100 }],
  });
  const tool = resultTool({ stores, tenant: TENANT });
  return async (
    input: { call: string; offset?: number },
    session = SESSION,
    more: Parameters<typeof testContext>[0] = {},
  ) => {
    const asked = { offset: 0, ...input };
    const answer = readAnswer(await tool.handler(asked, testContext({ session, ...more })));
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.value;
  };
}

test("reads by the number that the model knows", async () => {
  const read = await scene();
  expect((await read({ call: "c1" })).text).toContain("line 1\n");
  await expect(read({ call: "c2" })).rejects.toThrow("There is no output of a call c2");
});

test("pages through all that a call said, as it was said, without frame and activity", async () => {
  const read = await scene();
  let whole = "";
  let offset: number | undefined = 0;
  for (let pages = 0; offset !== undefined && pages < 20; pages++) {
    const { value } = await read({ call: "call_1", offset });
    const page = value as { text: string; nextOffset?: number };
    whole += page.text;
    offset = page.nextOffset;
  }
  expect(whole).toBe(OUTPUT);
});

test("says where to go on, and that nothing is left", async () => {
  const read = await scene();
  const { text } = await read({ call: "call_1", offset: 100 });
  const next = 100 + PAGE_CHARS;
  expect(text).toBe(
    `${OUTPUT.slice(100, next)}\n[It has ${OUTPUT.length} characters. Go on with offset ${next}.]`,
  );
  expect((await read({ call: "call_1", offset: 999_999 })).text).toContain("none from there on");
});

test("reads nothing of another conversation", async () => {
  const read = await scene();
  await expect(read({ call: "call_1" }, OTHER)).rejects.toThrow(ToolError);
  await expect(read({ call: "call_2" })).rejects.toThrow("There is no output of a call call_2");
});

test("a page is as large as the model can be shown, to the end of a line, and never tiny", async () => {
  const read = await scene();
  const page = async (chars: number | undefined) => {
    const { value } = await read({ call: "call_1" }, SESSION, { shownChars: () => chars });
    return (value as { text: string }).text;
  };
  expect(await page(undefined)).toBe(OUTPUT);
  const large = await page(20_000);
  expect(large.length).toBeGreaterThan(17_000);
  expect(large.length).toBeLessThan(20_000);
  expect(large.endsWith("\n")).toBe(true);
  expect((await page(0)).length).toBeGreaterThan(900);
});

test("what it is about is not told by an id, which nobody knows a call by", async () => {
  const tool = resultTool({ stores: memoryStores(), tenant: TENANT });
  expect(await tool.target?.({ call: "call_1", offset: 0 })).toBeUndefined();
});
