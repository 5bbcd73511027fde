import { LocalTime } from "@elwood/core/base/local-time";
import { toModelMessages } from "@elwood/runtime/run/history";
import type { Message } from "@elwood/core/message/message";
import { listen, READ_TOOL, requestOf, said } from "@elwood/testkit/contract-request";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { toolCall } from "@elwood/sdk/model-script/steps";
import { describe, expect, test } from "vitest";
import { DEMO_NOTICE } from "./demo-script.ts";
import { makeDemo } from "./demo.ts";

const demo = makeDemo({ clock: new ManualClock(), paceMs: 0 });

/** Says these one after another in one session, and answers the last reply. */
async function talk(...asked: string[]): Promise<string> {
  const messages: Message[] = [];
  let reply = "";
  for (const words of asked) {
    messages.push(said("user", { type: "text", text: words, origin: "owner" }));
    const heard = await listen(
      demo,
      requestOf({ messages: toModelMessages(messages, new LocalTime("UTC")) }),
    );
    expect(heard.last.type).toBe("done");
    reply = heard.text;
    messages.push(said("assistant", { type: "text", text: reply }));
  }
  return reply;
}
/** The answer without the notice of a first reply. */
const answer = async (words: string) => talk("Hello", words);

describe("the demo model", () => {
  test("says that it is scripted with its first reply, and not with every reply", async () => {
    expect(await talk("hello")).toContain(DEMO_NOTICE);
    expect(await talk("what does it cost?")).toContain(DEMO_NOTICE);
    expect(await talk("hello", "what does it cost?")).not.toContain(DEMO_NOTICE);
  });

  test.each(["who are you?", "Are you a real AI?", "what are you", "is this a demo?", "asdf qwer"])(
    "says so again when asked, or when it does not understand: %s",
    async (words) => {
      expect(await answer(words)).toContain(DEMO_NOTICE);
    },
  );

  test.each<[string, string]>([
    ["What can you do?", "I can tell you about"],
    ["help", "I can tell you about"],
    ["What is Elwood?", "personal assistant that you run yourself"],
    ["How do I connect Anthropic?", "elwood auth anthropic"],
    ["use claude", "ANTHROPIC_API_KEY"],
    ["How do I connect OpenAI?", "elwood auth openai"],
    ["can I use chatgpt", "OPENAI_API_KEY"],
    ["How do I connect Ollama?", "ollama/qwen3"],
    ["does it work with LM Studio", "lmstudio/"],
    ["how do I add an API key?", "elwood auth list"],
    ["which models are there?", "provider/model"],
    ["How do I use it in the terminal?", "elwood --help"],
    ["How do I continue a session?", "elwood -c"],
    ["can I pipe something in?", "git diff | elwood"],
    ["Where is my data?", "ELWOOD_HOME"],
    ["where are my sessions stored", "ELWOOD_HOME"],
    ["Is it private?", "reports to nobody"],
    ["what does it cost?", "20 dollars a day"],
    ["What are receipts?", "made from them and not from the model's words"],
    ["how do approvals work?", "decides nothing"],
    ["what tools are there?", "leaves receipts"],
    ["list my files", "I did nothing"],
    ["what is the weather?", "I did nothing"],
    ["remember that my name is Bo", "I did nothing"],
    ["how does memory work?", "finds what was said in earlier sessions"],
    ["how do I stop an answer?", "chat.abort"],
    ["how do I delete a session?", "30 days"],
    ["export this conversation", "elwood sessions export"],
    ["search my history", "elwood sessions search"],
    ["write me a poem", "work for a real model"],
    ["write a python program", "work for a real model"],
    ["what is the capital of France?", "work for a real model"],
    ["is there a telegram bot?", "elwood channels connect telegram"],
    ["can I use it in the browser?", "elwood open"],
    ["is there an API?", "elwood protocol schema"],
    ["it is not working", "elwood doctor"],
    ["how do I change the port?", "elwood config show --origin"],
    ["thank you", "You are welcome"],
    ["good morning", "Hello again"],
    ["how are you?", "As well as a script can be"],
    ["is elwood open source?", "MIT licence"],
    ["bye", "Goodbye"],
  ])("%s", async (words, part) => {
    expect(await answer(words)).toContain(part);
  });

  test("claims to have done nothing where it called no tool", async () => {
    const all = await Promise.all(
      ["what can you do?", "what are receipts?", "read the file notes.txt", "what is elwood?"].map(answer),
    );
    expect(all.join("\n")).not.toMatch(/I (read|wrote|ran|saved|deleted|sent)\b/);
  });

  test("knows what was said before, without the time stamp that the prompt adds", async () => {
    expect(await talk("The code word is heron.", "What did I just say?")).toContain(
      "“The code word is heron.”",
    );
    expect(await talk("what did I just say?")).toContain("first message of this session");
    expect(await talk("alpha", "beta", "what was my first message?")).toContain("“alpha”");
  });

  test("notices a repeated greeting, and does not see one where there was none", async () => {
    expect(await talk("hello", "hello")).toContain("Hello again");
    expect(await talk("what does it cost", "hello")).not.toContain("again");
  });

  test("does not pretend to read what was piped in", async () => {
    const messages = [
      said(
        "user",
        { type: "text", text: "summarise this", origin: "owner" },
        { type: "text", text: "x".repeat(321), origin: "piped" },
      ),
    ];
    const heard = await listen(
      demo,
      requestOf({ messages: toModelMessages(messages, new LocalTime("UTC")) }),
    );
    expect(heard.text).toContain("321 characters came along");
  });

  test("told that its answer does not fit the receipts, it adds nothing: a script has no other words", async () => {
    const asked = said("user", { type: "text", text: "what does it cost?" });
    const first = await listen(demo, requestOf({ messages: [asked] }));
    const note = {
      ...said("user", {
        type: "text",
        text: "[Elwood, not the owner] Part of it does not match what was recorded.",
      }),
      origin: "gateway" as const,
    };
    const messages = [asked, said("assistant", { type: "text", text: first.text }), note];
    const { text, last } = await listen(demo, requestOf({ messages }));
    expect(text).toBe("");
    expect(last).toMatchObject({ type: "done", stopReason: "end_turn", blocks: [] });
  });

  test("a long story is about 400 words, and streams word by word at its pace", async () => {
    const clock = new ManualClock({ autoAdvance: true });
    const messages = [said("user", { type: "text", text: "tell me a long story" })];
    const heard = await listen(makeDemo({ clock }), requestOf({ messages }));
    const words = heard.text.split(/\s+/).length;
    expect(words).toBeGreaterThan(350);
    expect(words).toBeLessThan(560);
    expect(clock.sleeps.length).toBe(heard.events.filter((e) => e.type === "text").length);
    expect(new Set(clock.sleeps.map((s) => s.ms))).toEqual(new Set([8]));
  });

  test("can be stopped in the middle of it", async () => {
    const stop = new AbortController();
    let words = 0;
    const messages = [said("user", { type: "text", text: "tell me a long story" })];
    const heard = await listen(demo, requestOf({ messages, signal: stop.signal }), (e) => {
      if (e.type === "text" && ++words === 50) stop.abort();
    });
    expect(heard.last).toMatchObject({ type: "failed", failure: { reason: "ABORTED" } });
    expect(words).toBe(50);
  });

  test("rules of later features come first, and may call tools", async () => {
    const withTools = makeDemo({
      clock: new ManualClock(),
      paceMs: 0,
      rules: [
        {
          name: "read",
          when: /^read (\S+)/,
          answer: ({ results, said }) =>
            results.length > 0
              ? `It says: ${results[0]!.text}`
              : [toolCall(READ_TOOL.toolId, { path: said.split(" ")[1] })],
        },
      ],
    });
    const asked = said("user", { type: "text", text: "read notes.md" });
    const first = await listen(withTools, requestOf({ messages: [asked] }));
    expect(first.last).toMatchObject({
      stopReason: "tool_use",
      blocks: [{ type: "tool_use", input: { path: "notes.md" } }],
    });
    const second = await listen(
      withTools,
      requestOf({
        messages: [
          asked,
          said("assistant", ...first.last.blocks),
          said("tool", { type: "tool_result", callId: "c", status: "ok", text: "water the plants" }),
        ],
      }),
    );
    expect(second.text).toBe(`${DEMO_NOTICE}\n\nIt says: water the plants`);
  });
});
