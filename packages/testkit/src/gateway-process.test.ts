import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
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

test("tests that are killed take their gateway and its folder with them", async () => {
  const script = `
    import { startGatewayProcess } from ${JSON.stringify(new URL("./gateway-process.ts", import.meta.url).href)};
    const { pid, home } = await startGatewayProcess();
    console.log(JSON.stringify({ pid, home }));`;
  const tests = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(tests.stdout, "data")) as [Buffer];
  const { pid, home } = JSON.parse(line.toString()) as { pid: number; home: string };
  expect(existsSync(home)).toBe(true);
  tests.kill("SIGKILL");
  await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  expect(existsSync(home)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // no such process
  }
}
