import { GatewayClient } from "@elwood/sdk/client";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

const SHAPED = "glpat-Ab3dE6gH9jK2mN5pQ8rS";

test("a key in a title, in a token's name or in a client's name is kept nowhere, in whatever writing", async () => {
  await using scene = await open();
  const { url, ownerToken } = scene.gateway;
  const known = Buffer.from(ownerToken).toString("base64");
  for (const secret of [SHAPED, ownerToken, known]) {
    const { sessionKey, session } = await scene.call("sessions.create", { title: `my ${secret}` });
    expect(session.title).toMatch(/^my \[redacted/);
    const renamed = await scene.call("sessions.rename", { sessionKey, title: `other ${secret}` });
    expect(renamed.session.title).toMatch(/^other \[redacted/);
    const { token, info } = await scene.call("tokens.create", {
      name: `for ${secret}`,
      scopes: ["chat", "approve"],
    });
    expect(info.name).toMatch(/^for \[redacted/);
    const client = await GatewayClient.connect({ url, token, client: { name: `app ${secret}` } });
    await scene.run({ sender: client, calls: [["files.file.list", { path: "." }]] });
    await client.close();
  }
  const everything = JSON.stringify([
    await scene.call("sessions.list", {}),
    await scene.call("tokens.list", {}),
    await scene.call("receipts.list", { limit: 200 }),
  ]);
  expect(everything).toContain("app [redacted");
  for (const secret of [SHAPED, ownerToken, known]) expect(everything).not.toContain(secret);
});
