/** For tests of assistants and tools, without a gateway. */
export { Cassette, type CassetteOptions } from "./testing/cassette.ts";
export { expectReceipts, type ExpectedReceipt, type ReceiptSource } from "./testing/expect-receipts.ts";
export { fakeClock, ManualClock, type AskedSleep, type ManualClockOptions } from "./testing/manual-clock.ts";
export {
  autoApprove,
  MemoryEngine,
  type ApprovalRule,
  type AskingCall,
  type EngineClock,
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
