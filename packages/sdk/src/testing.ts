/** For tests of assistants and tools, without a gateway. */
export {
  autoApprove,
  MemoryEngine,
  type ApprovalRule,
  type MemoryEngineOptions,
  type MemoryReceipt,
} from "./testing/memory-engine.ts";
export { ScriptedModel, type RecordedRequest, type ScriptedModelOptions } from "./testing/scripted-model.ts";
export {
  delay,
  disconnect,
  error,
  text,
  thinking,
  toolCall,
  usage,
  type Step,
} from "./model-script/steps.ts";
export { testContext } from "./test-context.ts";
