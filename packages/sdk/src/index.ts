/** Assistants as code: see docs/sdk.md. */
export { Assistant, type Answer, type AssistantConfig } from "./assistant/assistant.ts";
export { Conversation } from "./assistant/conversation.ts";
export type { AssistantDefinition, ICoreEngineClient, OwnerQuestion } from "./assistant/engine-client.ts";
export {
  AssistantError,
  ConversationError,
  GatewayUnavailableError,
  HumanInputTimeoutError,
  ToolExecutionError,
} from "./assistant/errors.ts";
export type {
  Activity,
  ConversationEvent,
  ConversationEvents,
  ConversationMessage,
  HumanInput,
  StreamEvent,
  TurnEndReason,
  Usage,
} from "./assistant/events.ts";
export { HumanInTheLoop, type HumanInputOptions } from "./assistant/human-in-the-loop.ts";
export { Tool, type ToolConfig, type ToolRunContext } from "./assistant/tool.ts";
export { GatewayEngine, type GatewayEngineOptions } from "./assistant/gateway-engine.ts";
export { ProtocolEngine, type ProtocolEngineOptions } from "./assistant/protocol-engine.ts";
export type { JsonSchema, StandardToolSchema, ToolSchema } from "./tool-schema.ts";
