import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RESULTS } from "@elwood/core/protocol/results";
import { startGatewayProcess } from "@elwood/testkit/gateway-process";
import { expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ending, openSession, send } from "./conversation.ts";
import { runElwood } from "./run-elwood.ts";

test("OA-4: receipts are listed, proven and verified over the socket, and by the command beside a running gateway", async () => {
  await using gateway = await startGatewayProcess();
  const wire = await Wire.authenticated(gateway.url, gateway.token);
  await ending(wire, await send(wire, await openSession(wire), "hello"));

  const { receipts } = RESULTS["receipts.list"].parse(await wire.result("receipts.list", { limit: 50 }));
  expect(receipts.length).toBeGreaterThan(0);
  const [newest] = receipts;
  const got = RESULTS["receipts.get"].parse(await wire.result("receipts.get", { receiptId: newest!.id }));
  expect(got.receipt).toEqual(newest);
  const proof = RESULTS["receipts.prove"].parse(
    await wire.result("receipts.prove", { receiptId: newest!.id }),
  );
  const head = RESULTS["receipts.head"].parse(await wire.result("receipts.head"));
  expect(head.line).toBe(`receipts ${head.size} · ${head.root.slice(0, 16)}`);
  const { verdict } = RESULTS["receipts.verify"].parse(
    await wire.result("receipts.verify", { held: head.line }),
  );
  expect(verdict).toMatchObject({ status: "intact" });

  const held = join(gateway.home, "held.txt");
  writeFileSync(held, head.line);
  const proofFile = join(gateway.home, "proof.json");
  writeFileSync(proofFile, JSON.stringify(proof));
  const beside = await runElwood(["receipts", "verify", "--held", held, "--json"], gateway);
  expect(JSON.parse(beside.stdout)).toMatchObject({ status: "intact", exitCode: 0 });
  expect((await runElwood(["receipts", "verify-proof", proofFile], gateway)).code).toBe(0);
  const audit = await runElwood(["receipts", "audit", "--jsonl"], gateway);
  for (const line of audit.stdout.split("\n").filter(Boolean)) JSON.parse(line);
  await wire.close();
});
