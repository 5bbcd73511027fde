import { LIMITS } from "@elwood/core/base/limits";
import { expect, test } from "vitest";
import { socketPair } from "./socket-pair.ts";

function heard() {
  const { client, server } = socketPair();
  const said: string[] = [];
  client.addEventListener("open", () => said.push("open"));
  client.addEventListener("message", ({ data }) => said.push(`client: ${String(data)}`));
  client.addEventListener("close", ({ code, reason }) => said.push(`closed ${code} ${reason}`));
  const listen = () => {
    server.on("message", (data) => said.push(`server: ${data.toString()}`));
    server.on("close", () => said.push("gone"));
  };
  return { client, server, said, listen };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("frames arrive in order, after their sender is done, and wait until the server listens", async () => {
  const { client, server, said, listen } = heard();
  client.send("1");
  client.send("2");
  await settled();
  expect(said).toEqual(["open"]);
  listen();
  server.send("3");
  expect(said).toEqual(["open"]);
  await settled();
  expect(said).toEqual(["open", "server: 1", "server: 2", "client: 3"]);
});

test("either end closes both, once, and what is sent afterwards arrives nowhere", async () => {
  const { client, server, said, listen } = heard();
  listen();
  server.send("last words");
  server.close(1012, "stopping");
  await settled();
  client.close();
  client.send("late");
  server.send("late");
  server.terminate();
  await settled();
  expect(said).toEqual(["open", "client: last words", "gone", "closed 1012 stopping"]);
});

test("a frame that is too large ends the connection, and so do too many before anybody listens", async () => {
  const large = heard();
  large.listen();
  large.client.send("x".repeat(LIMITS.frameBytesMax + 1));
  await settled();
  expect(large.said).toEqual(["open", "gone", "closed 1009 the frame is too large"]);
  const many = heard();
  for (let n = 0; n <= LIMITS.requestsInFlightPerConnectionMax; n += 1) many.client.send("{}");
  await settled();
  expect(many.said.at(-1)).toMatch(/^closed 1008/);
});
