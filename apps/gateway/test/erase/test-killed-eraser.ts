import { GatewayClient } from "@elwood/sdk/client";
import type { GatewayStores } from "../../src/gateway.ts";
import type { EraseStore } from "@elwood/store-sqlite/sqlite-erase";
import { startTestGateway } from "../test-gateway.ts";

/** Forgets something in a gateway of its own, and dies at a named point: `node test-killed-eraser.ts <home> <params> <point>` */
const [home, params, point] = process.argv.slice(2);

function die(): void {
  process.kill(process.pid, "SIGKILL");
}

/** Dies before or after a function of the store was called for the n-th time. */
function mortal(store: EraseStore): EraseStore {
  const counts = new Map<string, number>();
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const count = (counts.get(String(name)) ?? 0) + 1;
        counts.set(String(name), count);
        if (point === `${String(name)}:${count}:before`) die();
        const answer: unknown = Reflect.apply(value, target, args);
        if (point === `${String(name)}:${count}:after`) die();
        return answer;
      };
    },
  });
}

function wrapStores(stores: GatewayStores): GatewayStores {
  const { forgetting, transcripts } = stores;
  let changed = 0;
  return {
    ...stores,
    forgetting: { ...forgetting, open: async () => mortal(await forgetting.open()) },
    transcripts: {
      ...transcripts,
      async rewrite(tenant, sessionId, work) {
        const lines = await transcripts.rewrite(tenant, sessionId, work);
        if (lines > 0 && point === `rewrite:${++changed}`) die();
        return lines;
      },
      async remove(tenant, sessionId) {
        await transcripts.remove(tenant, sessionId);
        if (point === "remove") die();
      },
    },
  };
}

const started = await startTestGateway({ home: home!, wrapStores });
const { url, ownerToken: token } = started.gateway;
const owner = await GatewayClient.connect({ url, token });
const what = JSON.parse(params!) as { word?: string };
const confirm =
  what.word === undefined
    ? {}
    : { confirm: (await owner.call("memory.forget", { ...what, dryRun: true })).total };
await owner.call("memory.forget", { ...what, ...confirm });
// It should never come to this.
process.exit(3);
