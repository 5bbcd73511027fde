import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { freePort, startGatewayProcess, temporaryHome } from "./gateway-process.ts";

test("a gateway is ready when it is handed over, and leaves neither process nor folder", async () => {
  const gateway = await startGatewayProcess();
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
  expect(gateway.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=/);
  expect(gateway.token).toMatch(/^elw_/);
  expect(await gateway.stop()).toBe(0);
  expect(() => process.kill(gateway.pid, 0)).toThrow("ESRCH");
  expect(existsSync(gateway.home)).toBe(false);
});

test("a home that the test brought is kept, so that the next gateway finds it", async () => {
  const home = temporaryHome();
  const port = await freePort();
  const first = await startGatewayProcess({ home: home.path, port });
  await first.kill();
  await using second = await startGatewayProcess({ home: home.path, port });
  expect(second.token).toBe(first.token);
  expect(second.url).toBe(first.url);
  await second.stop();
  home.remove();
  expect(existsSync(home.path)).toBe(false);
});

test("a gateway that cannot start fails at once, with what it said", async () => {
  const busy = createServer().listen(0, "127.0.0.1");
  await once(busy, "listening");
  const { port } = busy.address() as { port: number };
  await expect(startGatewayProcess({ port })).rejects.toThrow(`Port ${port} is used`);
  busy.close();
});

test("the owner's own keys and settings do not reach a gateway under test", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-of-the-developer");
  await using gateway = await startGatewayProcess();
  expect(gateway.output().stderr).toContain("no ANTHROPIC_API_KEY");
});
