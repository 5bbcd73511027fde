import { EVENTS } from "@elwood/core/protocol/events";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { ending, openSession, send } from "./conversation.ts";

test("a client that comes back to another process is told how its run ended, and does not wait for it", async () => {
  const home = temporaryHome();
  onTestFinished(() => home.remove());
  const first = await startGatewayProcess({ home: home.path });
  const wire = await Wire.authenticated(first.url, first.token);
  const runId = await send(wire, await openSession(wire), "hello");
  const { data } = await ending(wire, runId);
  await first.kill();

  await using second = await startGatewayProcess({ home: home.path });
  const back = await Wire.authenticated(second.url, second.token);
  const { snapshot } = (await back.result("chat.resume", { runId })) as {
    snapshot: { status: string; text: string; final: unknown };
  };
  expect(snapshot).toMatchObject({ status: "done", text: data!["text"] });
  expect(EVENTS["chat.final"]().parse(snapshot.final)).toMatchObject({
    runId,
    text: data!["text"],
    usage: data!["usage"],
    segments: data!["segments"],
    evidence: "",
    demo: true,
  });
  await back.close();
});
