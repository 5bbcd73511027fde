import { parentPort, workerData } from "node:worker_threads";
import { fail } from "@elwood/core/base/failure";
import { doctorDocument } from "./document.ts";
import { examine } from "./examine.ts";
import { doctorContextOf, type DoctorOutside } from "./outside.ts";

/** `gateway.doctor` in a thread: looks at everything, mends nothing, asks no model. */
const context = await doctorContextOf(workerData as DoctorOutside);
const { findings } = await examine(
  { ...context, live: false, models: async () => fail("NO_MODEL", "No model is asked here.") },
  false,
);
parentPort?.postMessage(doctorDocument(context, findings), []);
