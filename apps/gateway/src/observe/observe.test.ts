import { makeLog } from "../log/log.ts";
import { systemClock } from "@elwood/platform/system";
import { json } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { openScene } from "../../test/methods/test-scene.ts";

test("AC-12, EL-18: a real gateway tells of a run and its calls in its log, at /metrics and to a collector", async () => {
  const collector = await loopback();
  collector.always("POST /v1/traces", json(200, {}));
  const lines: string[] = [];
  const sink = makeLog({
    stream: { write: (text: string) => lines.push(text) },
    level: "debug",
    format: "json",
    clock: systemClock,
  });
  await using model = await startScriptedAnthropic();
  const key = "sk-ant-loopback-key-000000";
  {
    await using scene = await openScene(model, {
      log: sink.log,
      learnSecrets: sink.learnSecrets,
      requests: sink.requests,
      config: `
api: { metrics: true }
traces: { endpoint: "${collector.url}/v1/traces" }
log: { level: debug }
`,
    });
    const { gateway } = scene;
    const { runId } = await scene.run({
      says: `canaryword ${key}`,
      calls: [
        ["files.file.list", {}],
        ["shell.command.run", { command: "echo canaryword > x; rm x" }],
      ],
    });
    const metrics = (token?: string) =>
      fetch(`${gateway.url}/metrics`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    expect((await metrics()).status).toBe(401);
    const acme = await scene.client.call("tokens.create", { name: "a", scopes: ["chat"], tenant: "acme" });
    expect((await metrics(acme.token)).status).toBe(403);
    const { token } = await scene.client.call("tokens.create", { name: "prometheus", scopes: ["execute"] });
    const answer = await metrics(token);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const text = await answer.text();
    expect(text).toContain('elwood_runs_total{tenant="default",surface="test",status="done"} 1');
    expect(text).toContain('tool="files.file.list",outcome="succeeded"} 1');
    expect(text).toContain('tool="shell.command.run",outcome="denied"} 1');
    expect(text).toMatch(
      /elwood_model_requests_total\{tenant="default",provider="anthropic",model="script-0".*outcome="done",reason=""\} [34]/,
    );
    expect(text).not.toContain("canaryword");
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const of = (event: string) => told.filter((line) => line["event"] === event && line["runId"] === runId);
    expect(of("run.finished")).toMatchObject([
      { level: "INFO", status: "done", requestId: expect.any(String) as string },
    ]);
    expect(of("tool.call.succeeded")).toMatchObject([{ level: "INFO", tool: "files.file.list" }]);
    expect(of("tool.call.denied")).toMatchObject([{ level: "WARN", tool: "shell.command.run", by: "owner" }]);
    expect(of("model.done").length).toBeGreaterThan(0);
    const payloads = () => lines.filter((line) => line.includes('"tool.call.payload"')).length;
    await expect.poll(payloads, { timeout: 60_000 }).toBe(2);
    const shown = lines.filter((line) => !line.includes('"level":"DEBUG"'));
    expect(shown.join()).not.toContain("canaryword");
    expect(lines.join()).not.toContain(key);
  }
  const sent = collector.requests.map(({ text }) => text).join("\n");
  for (const name of ["invoke_agent elwood", "execute_tool files.file.list", "chat script-0"])
    expect(sent).toContain(name);
  expect(sent).not.toContain("canaryword");
});

test("EL-18: an error has a code that stays, and every line the request that it belongs to", async () => {
  const lines: string[] = [];
  const { log, requests } = makeLog({
    stream: { write: (text: string) => lines.push(text) },
    level: "info",
    format: "json",
    clock: systemClock,
  });
  await requests.handle("req_1", async () => {
    requests.began("run_1");
    log.error("The disk is full; it's tried again.");
  });
  await requests.handle("req_2", async () => {
    log.error("known", { event: "disk.full" });
    log.info("a run ended", { runId: "run_1" });
  });
  log.info("outside of any");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { event: "error.the_disk_is_full_it_s_tried_again", requestId: "req_1" },
    { event: "disk.full", requestId: "req_2" },
    { runId: "run_1", requestId: "req_1" },
    { msg: "outside of any" },
  ]);
  expect(lines[3]).not.toContain("requestId");
});

async function loopback(): Promise<LoopbackServer> {
  const server = await new LoopbackServer().start();
  onTestFinished(() => server.close());
  return server;
}
