import * as sdk from "@elwood/sdk";
import {
  Assistant,
  Conversation,
  ConversationError,
  HumanInputTimeoutError,
  HumanInTheLoop,
  Tool,
  ToolExecutionError,
  type ConversationEvent,
  type ConversationMessage,
  type ICoreEngineClient,
  type JsonSchema,
} from "@elwood/sdk";
import * as channel from "@elwood/sdk/channel";
import * as client from "@elwood/sdk/client";
import * as testing from "@elwood/sdk/testing";
import { MemoryEngine, ScriptedModel, text } from "@elwood/sdk/testing";
import * as tool from "@elwood/sdk/tool";
import { expect, expectTypeOf, test } from "vitest";

/*
 * The design that programs are written against, word for word. Whatever the SDK adds, these names, this
 * order of arguments and these results stay.
 */
/* oxlint-disable typescript/no-explicit-any -- as the design has it */
interface AssistantConfig {
  id: string;
  name: string;
  role: string;
  personality: string;
  tools: Tool[];
  coreEngineClient: ICoreEngineClient;
}

interface DesignedAssistant {
  startConversation(initialPrompt: string): Conversation;
  registerTool(tool: Tool): void;
  getTool(toolName: string): Tool | undefined;
  getContext(): Promise<any>;
  updateContext(newContext: any): Promise<void>;
}

interface ToolConfig {
  name: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  execute: (args: any, conversationId: string) => Promise<any>;
}

interface DesignedTool {
  execute(args: any, conversationId: string): Promise<any>;
}

type DesignedEvent = "message" | "tool_call" | "tool_output" | "human_input_required" | "error" | "end";

interface DesignedMessage {
  sender: "user" | "assistant" | "tool";
  type: "text" | "tool_call" | "tool_output" | "human_input_prompt";
  content: string | object;
  timestamp: Date;
  metadata?: any;
}

interface DesignedConversation {
  readonly id: string;
  readonly assistantId: string;
  on(event: ConversationEvent, handler: (data: any) => void): void;
  sendMessage(prompt: string): Promise<void>;
  submitHumanInput(response: string, inputStepId: string): Promise<void>;
  getHistory(): Promise<ConversationMessage[]>;
  end(): Promise<void>;
}

interface DesignedHumanInTheLoop {
  ask(conversation: Conversation, question: string, metadata?: any): Promise<string>;
  getApproval(conversation: Conversation, prompt: string, metadata?: any): Promise<boolean>;
  selectOption(
    conversation: Conversation,
    prompt: string,
    options: string[] | object[],
    metadata?: any,
  ): Promise<any>;
}
/* oxlint-enable typescript/no-explicit-any */

test("the published names, arguments and results compile as they were designed", () => {
  expectTypeOf(Assistant).toExtend<new (config: AssistantConfig) => DesignedAssistant>();
  expectTypeOf(Tool).toExtend<new (config: ToolConfig) => DesignedTool>();
  expectTypeOf(Conversation).toExtend<
    new (id: string, assistantId: string, coreEngineClient: ICoreEngineClient) => DesignedConversation
  >();
  expectTypeOf<typeof HumanInTheLoop>().toExtend<DesignedHumanInTheLoop>();
  expectTypeOf<ConversationEvent>().toEqualTypeOf<DesignedEvent>();
  expectTypeOf<ConversationMessage>().toEqualTypeOf<DesignedMessage>();
  for (const error of [ToolExecutionError, ConversationError]) expectTypeOf(error).instance.toExtend<Error>();
  expectTypeOf(HumanInputTimeoutError).instance.toExtend<Error>();
});

test("a program that was written against the design runs", async () => {
  const config: AssistantConfig = {
    id: "helper",
    name: "Helper",
    role: "answers",
    personality: "brief",
    tools: [],
    coreEngineClient: new MemoryEngine({ model: new ScriptedModel([text("Hello."), text("Again.")]) }),
  };
  const lookUp: ToolConfig = {
    name: "look_up",
    description: "Looks something up.",
    inputSchema: { type: "object", properties: { word: { type: "string" } } },
    // oxlint-disable-next-line typescript/no-explicit-any -- as the design has it
    execute: async (args: any, conversationId: string) => `${conversationId}: ${args.word as string}`,
  };
  const assistant = new Assistant(config);
  assistant.registerTool(new Tool(lookUp));
  expect(await assistant.getTool("look_up")?.execute({ word: "tulip" }, "c1")).toBe("c1: tulip");
  await assistant.updateContext({ shop: "open" });
  expect(await assistant.getContext()).toEqual({ shop: "open" });
  const conversation = assistant.startConversation("hi");
  const first = Promise.withResolvers<string | object>();
  conversation.on("message", (data: ConversationMessage) => first.resolve(data.content));
  expect(await first.promise).toBe("Hello.");
  await conversation.sendMessage("and again");
  await conversation.end();
  expect((await conversation.getHistory()).length).toBeGreaterThan(1);
});

test("every entry point exports what its readers look for", () => {
  expect(Object.keys(sdk)).toEqual(
    expect.arrayContaining([
      "Assistant",
      "Tool",
      "Conversation",
      "HumanInTheLoop",
      "GatewayEngine",
      "ConversationError",
    ]),
  );
  expect(Object.keys(client)).toEqual(expect.arrayContaining(["GatewayClient", "isPush"]));
  expect(Object.keys(tool)).toEqual(expect.arrayContaining(["defineTool", "ToolError", "testContext"]));
  expect(Object.keys(channel)).toEqual(
    expect.arrayContaining(["defineChannel", "formatMarkdown", "splitMessage"]),
  );
  expect(Object.keys(testing)).toEqual(
    expect.arrayContaining(["MemoryEngine", "ScriptedModel", "autoApprove"]),
  );
});
