import { json } from "@elwood/testkit/answers";
import { chat } from "@elwood/testkit/chat-wire";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { CHAT_ROUTE, startOpenai } from "@elwood/testkit/openai-server";
import { expect, onTestFinished, test } from "vitest";
import { Wire } from "./conformance/wire.ts";

const TEST_MS_MAX = 60_000;

/** What each place says of the model that answers. */
async function told(
  home: string,
): Promise<{ status: unknown; doctor: string; page: string; screen: string }> {
  await using gateway = await startGatewayProcess({ home });
  const wire = await Wire.authenticated(gateway.url, gateway.token);
  const { model } = (await wire.result("gateway.status")) as { model: string };
  const look = (await wire.result("gateway.doctor")) as { findings: { id: string; what: string }[] };
  await wire.close();
  const doctor = await elwood(["doctor", "--json"], { home });
  const { findings } = JSON.parse(doctor.stdout) as typeof look;
  const named = (all: typeof findings) => all.find(({ id }) => id.startsWith("model."))?.what ?? "";
  const { stdout, stderr } = gateway.output();
  const screen = /model (\S+ \([^)]*\))|demo model/.exec(`${stdout}${stderr}`)?.[0] ?? "";
  return { status: model, doctor: named(findings), page: named(look.findings), screen };
}

test(
  "status, doctor and start screen name the same model, also after a restart, and a connected server is no demo",
  async () => {
    const home = temporaryHome();
    onTestFinished(() => home.remove());
    const server = await startOpenai();
    onTestFinished(() => server.close());
    server.always("GET /v1/models", json(200, { data: [{ id: "large" }, { id: "small" }] }));
    server.always(CHAT_ROUTE, chat.reply("ready"));
    const demo = "The demo model answers, with scripted words.";
    expect(await told(home.path)).toEqual({
      status: "demo/scripted",
      doctor: demo,
      page: demo,
      screen: "demo model",
    });
    {
      await using gateway = await startGatewayProcess({ home: home.path });
      const wire = await Wire.authenticated(gateway.url, gateway.token);
      const given = { provider: "home-llm", secret: "any-word", baseUrl: server.baseUrl, model: "small" };
      await wire.result("auth.set", given);
      await wire.result("models.use", { model: "home-llm/small" });
      await wire.result("auth.test", { profileId: "home-llm:default" });
      expect((server.last(CHAT_ROUTE).body as { model: string }).model).toBe("small");
      await wire.close();
    }
    expect(await told(home.path)).toEqual({
      status: "home-llm/small",
      doctor: "home-llm/small answers.",
      page: "home-llm/small answers.",
      screen: "model home-llm/small (chosen by you)",
    });
  },
  TEST_MS_MAX,
);
