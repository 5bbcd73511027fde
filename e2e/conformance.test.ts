import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, test } from "vitest";
import { CHECKS } from "./conformance/checks.ts";

describe("conformance of our own gateway", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess();
  });
  afterAll(() => gateway.kill());
  for (const check of CHECKS) test(check.name, () => check.run(gateway));
});
