import { readdir } from "node:fs/promises";
import { isLoopbackHost } from "../server/guards.ts";
import { finding, ok, type Check, type Finding } from "./finding.ts";

/** How Elwood is reached from elsewhere: over TLS, under names that it knows, through a proxy that passes them on. */
export const reach: Check = {
  area: "reach",
  async run({ loaded, live }) {
    if (!loaded.ok) return [];
    const { host, allowedHosts, allowedOrigins } = loaded.value.config.gateway;
    const findings: Finding[] = [];
    if (!isLoopbackHost(host) && allowedHosts.length === 0)
      findings.push(
        finding(
          "info",
          "reach.open",
          "Elwood listens beyond this machine, and speaks no TLS itself.",
          `gateway.host is ${host}`,
          "Put a reverse proxy, an SSH tunnel or a private network in front: docs/remote.md",
        ),
      );
    const clear = allowedOrigins.filter((origin) => isClear(origin));
    if (clear.length > 0)
      findings.push(
        finding(
          "warning",
          "reach.clear",
          "A page elsewhere may talk to Elwood without TLS: your token and your words can be read on the way.",
          `gateway.allowedOrigins has ${clear.join(", ")}`,
          "Serve that page over https.",
        ),
      );
    for (const name of live ? allowedHosts : []) findings.push(await throughProxy(`https://${name}`));
    return findings;
  },
};

function isClear(origin: string): boolean {
  return URL.canParse(origin) && origin.startsWith("http:") && !isLoopbackHost(new URL(origin).hostname);
}

const ANSWER_MS_MAX = 10_000;

/** Asks Elwood by the name that the owner's browser would use. */
export async function throughProxy(origin: string): Promise<Finding> {
  const warn = (what: string, evidence: string, fix: string) =>
    finding("warning", "reach.proxy", what, evidence, fix);
  let response: Response;
  try {
    response = await fetch(new URL("/healthz", origin), {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      redirect: "manual",
    });
  } catch (error) {
    const cause: unknown = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer";
    const fix = /CERT|SELF_SIGNED|ALTNAME|EXPIRED/.test(code)
      ? "Renew the proxy's certificate, or let Caddy keep it."
      : "Look whether the proxy runs, and whether that name leads to it.";
    return warn(`Nothing that can be trusted answers at ${origin}.`, code, fix);
  }
  const text = (await response.text()).slice(0, ANSWER_CHARS_MAX);
  if (text.includes("HOST_REFUSED"))
    return warn(
      `The proxy at ${origin} does not pass the name on, so Elwood refuses what it sends.`,
      `${response.status}, HOST_REFUSED`,
      "Let it send the header Host as it came (nginx: proxy_set_header Host $host).",
    );
  if (!response.ok || !text.includes('"ok"'))
    return warn(
      `Something else than Elwood answers at ${origin}.`,
      `status ${response.status}`,
      "Point the proxy at the gateway's address: elwood status shows it.",
    );
  return ok("reach.proxy", `Elwood answers at ${origin}.`, `status ${response.status}`);
}

const ANSWER_CHARS_MAX = 4_096;

/** Jobs have their times while a laptop sleeps, too. */
export const sleep: Check = {
  area: "sleep",
  async run({ loaded }) {
    if (!loaded.ok) return [];
    const { cron, heartbeat } = loaded.value.config;
    if (cron.length === 0 && heartbeat.intervalMinutes === 0) return [];
    return sleepFindings("/sys/class/power_supply");
  },
};

/** A machine with a battery is one that falls asleep. */
export async function sleepFindings(folder: string): Promise<Finding[]> {
  // Other systems have no such folder; what cannot be seen is not told.
  const supplies = await readdir(folder).catch(() => []);
  const battery = supplies.find((name) => /^BAT|battery/i.test(name));
  if (battery === undefined) return [];
  return [
    finding(
      "info",
      "sleep.battery",
      "This machine may fall asleep, and jobs then wait until it wakes.",
      battery,
      "What becomes of missed times is each job's catchUp. To keep it awake: systemctl mask sleep.target suspend.target",
    ),
  ];
}
