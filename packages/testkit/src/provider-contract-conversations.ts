import type { Block } from "@elwood/core/message/message";
import { expect } from "vitest";
import { gate } from "./answers.ts";
import { listen, READ_TOOL, requestOf, said } from "./contract-request.ts";
import { nextEventLoopTurn } from "./manual-clock.ts";
import { OPAQUE_BYTES, type StartHarness, type StatePromise } from "./provider-harness.ts";

export function promiseConversations(start: StartHarness, promise: StatePromise): void {
  aborts(start, promise);
  conversations(start, promise);
}

function aborts(start: StartHarness, promise: StatePromise): void {
  promise("a stop before the call sends nothing", async () => {
    const h = await start();
    const { last } = await listen(h.provider, requestOf({ signal: AbortSignal.abort() }));
    expect(last).toMatchObject({ type: "failed", failure: { reason: "ABORTED" }, blocks: [] });
    expect(h.tries()).toBe(0);
  });

  promise("a stop during the answer keeps what had come", async () => {
    const h = await start();
    const stop = new AbortController();
    const door = gate();
    h.will({ say: [{ text: "first words " }, { wait: door }, { text: "never heard" }] });
    const heard = await listen(h.provider, requestOf({ signal: stop.signal }), (event) => {
      if (event.type === "text" && event.text.includes("words")) stop.abort();
    });
    expect(heard.last).toMatchObject({ type: "failed", failure: { reason: "ABORTED" } });
    expect(heard.last.blocks).toMatchObject([{ type: "text", text: "first words " }]);
    door.open();
  });

  promise("a stop after the answer changes nothing", async () => {
    const h = await start();
    const stop = new AbortController();
    h.will({ say: [{ text: "all said" }] });
    const { last } = await listen(h.provider, requestOf({ signal: stop.signal }));
    stop.abort();
    await nextEventLoopTurn();
    expect(last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "all said" }] });
  });

  promise("a listener who leaves takes the connection down", async () => {
    const h = await start();
    const door = gate();
    h.will({ say: [{ text: "one two three four five six" }, { wait: door }] });
    for await (const event of h.provider.chat(requestOf())) if (event.type === "text") break;
    await expect.poll(() => h.abandoned()).toBe(true);
    expect(h.tries()).toBe(1);
  });
}

function conversations(start: StartHarness, promise: StatePromise): void {
  const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 7, 7, 7]);
  const base64 = Buffer.from(picture).toString("base64");
  const readBlob = async () => picture;

  promise("pictures of the owner and of a tool reach the model", async () => {
    const h = await start();
    h.will({ say: [{ text: "I see." }] });
    const call: Block = {
      type: "tool_use",
      callId: "call_1",
      toolId: READ_TOOL.toolId,
      input: { path: "x.png" },
    };
    const result: Block = {
      type: "tool_result",
      callId: "call_1",
      status: "ok",
      text: "",
      images: [{ mime: "image/png", blobId: "blob_2" }],
    };
    const { last } = await listen(
      h.provider,
      requestOf({
        tools: [READ_TOOL],
        readBlob,
        messages: [
          said(
            "user",
            { type: "text", text: "what is this" },
            { type: "image", mime: "image/png", blobId: "blob_1" },
          ),
          said("assistant", call),
          said("tool", result),
        ],
      }),
    );
    expect(last.type).toBe("done");
    expect(h.sent().split(base64)).toHaveLength(3);
    h.assertDone();
  });

  promise("its own thinking goes back untouched", async () => {
    const h = await start();
    h.will(
      { say: [{ thinking: "hm, a secret thought" }, { tool: READ_TOOL.toolId, input: { path: "a" } }] },
      { say: [{ text: "ok" }] },
    );
    const first = await listen(h.provider, requestOf({ tools: [READ_TOOL], effort: "low" }));
    const thought = first.last.blocks.find((b) => b.type === "thinking");
    expect(thought?.type === "thinking" && thought.opaque?.provider).toBe(h.provider.id);
    const call = first.last.blocks.find((b) => b.type === "tool_use");
    const callId = call?.type === "tool_use" ? call.callId : "";
    const second = await listen(
      h.provider,
      requestOf({
        tools: [READ_TOOL],
        effort: "low",
        messages: [
          said("user", { type: "text", text: "hello" }),
          said("assistant", ...first.last.blocks),
          said("tool", { type: "tool_result", callId, status: "ok", text: "contents" }),
        ],
      }),
    );
    expect(second.last.type).toBe("done");
    expect(h.sent()).toContain(OPAQUE_BYTES);
    expect(h.sent()).toContain("hm, a secret thought");
    h.assertDone();
  });

  promise("another provider's thinking is left out", async () => {
    const h = await start();
    h.will({ say: [{ text: "ok" }] });
    const thought: Block = {
      type: "thinking",
      text: "foreign thought",
      opaque: { provider: "someone-else", data: "foreign bytes" },
    };
    const messages = [
      said("user", { type: "text", text: "a" }),
      said("assistant", thought, { type: "text", text: "b" }),
      said("user", { type: "text", text: "c" }),
    ];
    const { last } = await listen(h.provider, requestOf({ messages }));
    expect(last.type).toBe("done");
    expect(h.sent()).not.toContain("foreign");
    h.assertDone();
  });

  promise("a conversation begun elsewhere is accepted, odd call ids included", async () => {
    const h = await start();
    h.will({ say: [{ text: "taken over" }] });
    const odd = ["call:1/ö", "call:1/ä", `chatcmpl-tool-${"9".repeat(90)}`];
    const { last } = await listen(
      h.provider,
      requestOf({
        tools: [READ_TOOL],
        messages: [
          said("user", { type: "text", text: "read three files" }),
          said(
            "assistant",
            { type: "text", text: "Reading." },
            ...odd.map((callId): Block => ({
              type: "tool_use",
              callId,
              toolId: READ_TOOL.toolId,
              input: { path: callId },
            })),
          ),
          said(
            "tool",
            ...odd.map((callId): Block => ({
              type: "tool_result",
              callId,
              status: "ok",
              text: `contents of ${callId}`,
            })),
          ),
          said(
            "assistant",
            { type: "text", text: "Read." },
            { type: "image", mime: "image/png", blobId: "blob_gone" },
          ),
          said("user", { type: "text", text: "and now?" }),
        ],
      }),
    );
    expect(last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "taken over" }] });
    h.assertDone();
  });

  promise("a broken-off conversation is mended rather than refused", async () => {
    const h = await start();
    h.will({ say: [{ text: "fine" }] });
    const { last } = await listen(
      h.provider,
      requestOf({
        tools: [READ_TOOL],
        messages: [
          said("assistant", { type: "text", text: "I speak first." }),
          said("user", { type: "text", text: "  " }),
          said("assistant", {
            type: "tool_use",
            callId: "call_lost",
            toolId: READ_TOOL.toolId,
            input: "not an object",
            malformed: "{oops",
          }),
          said("user", { type: "text", text: "hello? " }),
          said("tool", { type: "tool_result", callId: "call_stray", status: "ok", text: "nobody asked" }),
          said("assistant", {
            type: "tool_use",
            callId: "call_2",
            toolId: READ_TOOL.toolId,
            input: { path: "a" },
          }),
          said("tool", { type: "tool_result", callId: "call_2", status: "error", text: "" }),
          said(
            "user",
            { type: "text", text: "never mind" },
            { type: "image", mime: "image/tiff", blobId: "b" },
          ),
        ],
      }),
    );
    expect(last).toMatchObject({ type: "done", blocks: [{ type: "text", text: "fine" }] });
    h.assertDone();
  });
}
