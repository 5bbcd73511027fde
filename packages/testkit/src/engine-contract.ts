import {
  Assistant,
  Conversation,
  HumanInTheLoop,
  Tool,
  ToolExecutionError,
  type ICoreEngineClient,
  type StreamEvent,
} from "@elwood/sdk";
import { describe, expect, onTestFinished, test } from "vitest";

/** What the model of a conversation does, one answer after the other. */
export type EngineScript = readonly (
  | { readonly say: string }
  | { readonly call: string; readonly input?: unknown }
)[];

export interface OpenedEngine {
  readonly engine: ICoreEngineClient;
  /** The id of an assistant that nobody else has. */
  readonly assistantId: string;
  /** The model that plays the script, where the assistant has to name it. */
  readonly model?: string;
}

/** What every engine of the SDK keeps to. */
export function engineContract(name: string, open: (script: EngineScript) => Promise<OpenedEngine>): void {
  const begin = async (script: EngineScript, tools: Tool[] = []) => {
    const { engine, assistantId: id, model } = await open(script);
    onTestFinished(() => engine.close());
    const about = { id, name: "Ada", role: "helps", personality: "brief" };
    const more = model === undefined ? {} : { model };
    const assistant = new Assistant({ ...about, ...more, tools, coreEngineClient: engine });
    return { engine, assistant, conversation: assistant.openConversation(engine.newConversationId()) };
  };

  /** All of one turn, with every approval decided. */
  const turn = async (
    conversation: Conversation,
    prompt: string,
    decision = "yes",
  ): Promise<StreamEvent[]> => {
    const events: StreamEvent[] = [];
    for await (const event of conversation.stream(prompt)) {
      events.push(event);
      if (event.type === "human_input_required" && event.kind === "approval")
        await conversation.submitHumanInput(decision, event.inputStepId);
    }
    return events;
  };

  const made = (toolName: string, execute: () => Promise<unknown>) =>
    new Tool({ name: toolName, description: "For a test.", inputSchema: { type: "object" }, execute });
  const statusOf = (events: readonly StreamEvent[]) =>
    events.flatMap((event) => (event.type === "tool_output" ? [event.status] : []));
  const textOf = (events: readonly StreamEvent[]) =>
    events.flatMap((event) => (event.type === "message" ? [event.message.content] : []));

  describe(`${name} keeps the contract of an engine`, () => {
    test("the events of a turn come in order, and turn_end is the last and comes once", async () => {
      const { conversation } = await begin([{ say: "Hello." }, { say: "Again." }]);
      const first = await turn(conversation, "1");
      const types = first.map(({ type }) => type);
      expect(types.filter((type) => type !== "text_delta" && type !== "thinking")).toEqual([
        "message",
        "activity",
        "usage",
        "turn_end",
      ]);
      const seqs = first.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(textOf(await turn(conversation, "2"))).toEqual(["Again."]);
      const history = await conversation.getHistory();
      expect(history.map(({ sender, content }) => [sender, content])).toEqual([
        ["user", "1"],
        ["assistant", "Hello."],
        ["user", "2"],
        ["assistant", "Again."],
      ]);
    });

    test("a message that is sent twice under one key is answered once", async () => {
      const { engine, conversation } = await begin([{ say: "Hello." }, { say: "Once." }]);
      await turn(conversation, "1");
      const over = Promise.withResolvers<void>();
      conversation.on("message", () => over.resolve());
      const first = await engine.send(conversation.id, "2", "the-key");
      expect(await engine.send(conversation.id, "2", "the-key")).toEqual(first);
      await over.promise;
      expect((await conversation.getHistory()).filter(({ content }) => content === "2")).toHaveLength(1);
    });

    test("a tool runs after a yes and not after a no, and a decision counts once", async () => {
      const ran: string[] = [];
      const work = made("work", async () => ran.push("ran"));
      const script = [{ call: "work" }, { say: "Done." }, { call: "work" }, { say: "Denied." }];
      const { conversation } = await begin(script, [work]);
      const allowed = await turn(conversation, "go", "yes");
      expect(statusOf(allowed)).toEqual(["succeeded"]);
      const asked = allowed.find((event) => event.type === "human_input_required");
      expect(asked).toMatchObject({ kind: "approval", input: {} });
      const id = asked?.type === "human_input_required" ? asked.inputStepId : "";
      await expect(conversation.submitHumanInput("no", id)).rejects.toMatchObject({
        code: "already_decided",
      });
      expect(statusOf(await turn(conversation, "go", "no"))).toEqual(["denied"]);
      expect(ran).toEqual(["ran"]);
    });

    test("a tool that says it failed has failed, and one that breaks off is unknown", async () => {
      const closed = made("closed", () => Promise.reject(new ToolExecutionError("closed", "Closed.")));
      const broken = made("broken", () => Promise.reject(new Error("socket hang up")));
      const script = [{ call: "closed" }, { say: "No." }, { call: "broken" }, { say: "Hm." }];
      const { conversation } = await begin(script, [closed, broken]);
      expect(statusOf(await turn(conversation, "1"))).toEqual(["failed"]);
      expect(statusOf(await turn(conversation, "2"))).toEqual(["unknown"]);
    });

    test("a tool that is registered later counts from the next message on", async () => {
      const { assistant, conversation } = await begin([
        { say: "Hello." },
        { call: "late" },
        { say: "Done." },
      ]);
      await turn(conversation, "1");
      assistant.registerTool(made("late", async () => "late"));
      expect(statusOf(await turn(conversation, "2"))).toEqual(["succeeded"]);
    });

    test("a run that is stopped ends as aborted", async () => {
      const { assistant, conversation } = await begin([{ call: "work" }], [made("work", async () => 1)]);
      const stop = new AbortController();
      const events: StreamEvent[] = [];
      for await (const event of conversation.stream("go", { signal: stop.signal })) {
        events.push(event);
        if (event.type === "human_input_required") stop.abort();
      }
      expect(events.at(-1)).toMatchObject({ type: "turn_end", reason: "aborted" });
      expect(assistant.getTool("work")).toBeDefined();
    });

    test("a question is answered, and ends in time where it is not", async () => {
      const { conversation } = await begin([{ say: "Hello." }]);
      await turn(conversation, "hi");
      conversation.on("human_input_required", ({ prompt, inputStepId }) => {
        if (prompt.includes("Who")) void conversation.submitHumanInput("Bob", inputStepId);
      });
      expect(await HumanInTheLoop.ask(conversation, "Who?")).toBe("Bob");
      const late = HumanInTheLoop.ask(conversation, "Anybody?", { timeoutMs: 20 });
      await expect(late).rejects.toMatchObject({ name: "HumanInputTimeoutError" });
    });

    test("what an assistant keeps is read back", async () => {
      const { assistant } = await begin([]);
      expect(await assistant.getContext()).toBeNull();
      await assistant.updateContext({ open: true, days: [1, 2] });
      expect(await assistant.getContext()).toEqual({ open: true, days: [1, 2] });
    });

    test("another reader takes a conversation up and learns how its last turn ended", async () => {
      const { assistant, conversation } = await begin([{ say: "Hello." }]);
      await turn(conversation, "hi");
      const again = assistant.openConversation(conversation.id);
      await again.resume({ afterSeq: 0 });
      const seen: StreamEvent[] = [];
      for await (const event of again) {
        seen.push(event);
        if (event.type === "turn_end") break;
      }
      expect(textOf(seen)).toEqual(["Hello."]);
    });

    test("what was seen is not told again to whoever takes a conversation up after it", async () => {
      const { assistant, conversation } = await begin([{ say: "Hello." }]);
      const seen = await turn(conversation, "hi");
      const again = assistant.openConversation(conversation.id);
      await again.resume({ afterSeq: conversation.lastSeq });
      expect([conversation.lastSeq, again.lastSeq]).toEqual([seen.at(-1)!.seq, 0]);
    });

    test("numbers rise within a turn, also those of what is asked, whatever else the engine has done", async () => {
      const work = made("work", async () => "worked");
      const script = [{ call: "work" }, { say: "Done." }, { call: "work" }, { say: "Done." }];
      const { assistant, engine, conversation } = await begin(script, [work]);
      await turn(conversation, "1");
      const other = await turn(assistant.openConversation(engine.newConversationId()), "2");
      const seqs = other.map(({ seq }) => seq);
      expect(other.map(({ type }) => type)).toContain("human_input_required");
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    });

    test("whoever waits for a turn or an answer when the engine is closed is told so", async () => {
      const { engine, conversation } = await begin([{ call: "work" }], [made("work", async () => 1)]);
      const events: StreamEvent[] = [];
      let answer: Promise<string> | undefined;
      for await (const event of conversation.stream("go")) {
        events.push(event);
        if (event.type !== "human_input_required") continue;
        if (event.kind === "approval") {
          answer = HumanInTheLoop.ask(conversation, "Anybody?");
          answer.catch(() => undefined);
        } else await engine.close();
      }
      expect(events.at(-1)?.type).toBe("turn_end");
      expect(events.map(({ type }) => type)).not.toContain("message");
      await expect(answer).rejects.toMatchObject({ name: "ConversationError", code: "closed" });
    });

    test("what is not there is an error with a code", async () => {
      const { engine } = await begin([]);
      await expect(engine.send(engine.newConversationId(), "hi", "k")).rejects.toMatchObject({
        name: "ConversationError",
        code: "NOT_FOUND",
      });
    });
  });
}
