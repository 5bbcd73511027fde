/** The clock of the SDK's own tests, which programs use for theirs. */
export {
  ManualClock,
  nextEventLoopTurn,
  type AskedSleep,
  type ManualClockOptions,
} from "@elwood/sdk/testing/manual-clock";
