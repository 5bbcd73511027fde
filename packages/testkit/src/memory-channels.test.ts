import { channelStoresContract } from "./channel-stores-contract.ts";
import { memoryChannels } from "./memory-channels.ts";

channelStoresContract("in memory", async () => {
  const stores = memoryChannels();
  return { stores, reopen: async () => stores, dispose: async () => undefined };
});
