import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "@elwood/platform/system";
import { vectorRig } from "./test-vectors.ts";

/** Run as a process of its own by a test, and killed by it: fills an index of the given folder. */
const [folder, baseUrl] = process.argv.slice(2);
if (folder === undefined || baseUrl === undefined) throw new Error("a folder and an address are needed");
const rig = vectorRig({ clock: systemClock, baseUrl, folder, pricePerMTokens: 1, capUsd: 1_000 });
await rig.fill();
await sleep(60_000);
