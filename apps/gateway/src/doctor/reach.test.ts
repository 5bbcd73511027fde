import { mkdirSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testFolder } from "../../test/config/test-folder.ts";
import type { DoctorContext } from "./finding.ts";
import { reach, sleepFindings, throughProxy } from "./reach.ts";

async function said(config: string) {
  const f = testFolder();
  f.write("home/config.yaml", config);
  const loaded = { ok: true, value: await f.load() } as const;
  // The check looks at nothing else of its context.
  const findings = await reach.run({ loaded, live: false } as unknown as DoctorContext);
  return findings.map(({ id, severity }) => `${severity} ${id}`);
}

test("the doctor says where Elwood can be reached without TLS", async () => {
  expect(await said("")).toEqual([]);
  expect(await said("gateway: { host: 0.0.0.0 }")).toEqual(["info reach.open"]);
  expect(await said("gateway: { host: 0.0.0.0, allowedHosts: [home.example] }")).toEqual([]);
  expect(await said('gateway: { allowedOrigins: ["http://localhost:5173", "http://home.example"] }')).toEqual(
    ["warning reach.clear"],
  );
});

test("asked through a proxy, it tells a lost name, a stranger and silence apart", async () => {
  const asked = async (listener: RequestListener) => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { severity, what } = await throughProxy(`http://127.0.0.1:${port}`);
    return `${severity}: ${what.replaceAll(String(port), "PORT")}`;
  };
  const at = "http://127.0.0.1:PORT";
  expect(await asked((_req, res) => res.end('{"status":"ok"}'))).toBe(`ok: Elwood answers at ${at}.`);
  expect(await asked((_req, res) => res.writeHead(403).end('{"reason":"HOST_REFUSED"}'))).toContain(
    "does not pass the name on",
  );
  expect(await asked((_req, res) => res.end("<h1>Welcome to nginx</h1>"))).toContain("Something else");
  expect(await asked((req) => req.destroy())).toContain("Nothing that can be trusted answers");
});

test("a machine with a battery is told to sleep, others are not", async () => {
  const { root } = testFolder();
  expect(await sleepFindings(join(root, "nowhere"))).toEqual([]);
  mkdirSync(join(root, "AC"));
  expect(await sleepFindings(root)).toEqual([]);
  mkdirSync(join(root, "BAT0"));
  expect((await sleepFindings(root)).map(({ id }) => id)).toEqual(["sleep.battery"]);
});
