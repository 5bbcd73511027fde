import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GatewayClient } from "@elwood/sdk/client";
import { expect, test } from "vitest";
import { startTestGateway } from "@elwood/gateway/test/test-gateway";
import { EXIT } from "./io.ts";
import { rotateKey } from "./receipts-key-command.ts";
import { testIo } from "./test-io.ts";

test("receipts rotate-key changes the key of a running gateway, on record, and the log still verifies", async () => {
  await using started = await startTestGateway();
  const { url, ownerToken: token } = started.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "desk" } });
  const known = () => readFileSync(join(started.home, "keys", "receipts.pub"), "utf8");
  const before = known();

  const io = testIo({ tty: true });
  io.type("n\n");
  expect(await rotateKey(io, { client }, { yes: false, json: false })).toBe(EXIT.denied);
  expect(known()).toBe(before);
  await expect(rotateKey(testIo(), { client }, { yes: false, json: false })).rejects.toThrow("add --yes");

  expect(await rotateKey(io, { client }, { yes: true, json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("signed with a new key now");
  expect(known()).not.toBe(before);
  const { receipts } = await client.call("receipts.list", { types: ["log.checkpoint"] });
  expect(receipts).toMatchObject([{ actor: "owner", surface: "desk", payload: { rotation: {} } }]);
  expect((await client.call("receipts.verify", {})).verdict).toMatchObject({ status: "intact", unsealed: 0 });

  const { token: small } = await client.call("tokens.create", { name: "small", scopes: ["chat", "approve"] });
  const other = await GatewayClient.connect({ url, token: small });
  await expect(rotateKey(testIo(), { client: other }, { yes: true, json: true })).rejects.toThrow();
  expect(started.complaints).toEqual([]);
});
