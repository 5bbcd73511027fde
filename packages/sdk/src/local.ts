/** An engine in this process. It brings the whole runtime along, with its first message. */
export {
  LocalEngine,
  type LocalEngineOptions,
  type LocalRuntime,
  type RecordedModel,
} from "./assistant/local-engine.ts";
