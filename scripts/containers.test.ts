import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

/** The container's files as text; `npm run test:real -- container` builds and runs the image. */
const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Instructions with their continued lines in one, remarks left out. */
function instructions(text: string): { readonly name: string; readonly words: string }[] {
  return text
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => ({ name: line.split(" ", 1)[0]!, words: line.slice(line.indexOf(" ") + 1) }));
}

test("the image is built in stages, runs as nobody's root, says how it is, and holds no secret", () => {
  const all = instructions(read("Containerfile"));
  const named = (name: string) => all.filter((each) => each.name === name).map(({ words }) => words);
  expect(named("FROM")).toEqual(["${BASE} AS build", "${BASE}"]);
  const last = all.findLastIndex(({ name }) => name === "FROM");
  const final = all.slice(last);
  expect(final.filter(({ name }) => name === "USER").map(({ words }) => words)).toEqual(["10001:10001"]);
  expect(final.findIndex(({ name }) => name === "USER")).toBeLessThan(
    final.findIndex(({ name }) => name === "ENTRYPOINT"),
  );
  expect(named("HEALTHCHECK")[0]).toContain("/healthz");
  expect(named("STOPSIGNAL")).toEqual(["SIGTERM"]);
  expect(named("VOLUME")).toEqual(['["/var/lib/elwood"]']);
  expect(named("ADD")).toEqual([]);
  // As the services have it: what threads have freed goes back to the system.
  expect(final.find(({ name }) => name === "ENV")?.words).toMatch(
    /\bMALLOC_ARENA_MAX=2 +MALLOC_TRIM_THRESHOLD_=262144 +MALLOC_MMAP_THRESHOLD_=32768\b/,
  );
  for (const words of [...named("ARG"), ...named("ENV"), ...named("FROM")]) {
    expect(words).not.toMatch(/(?:KEY|PASSWORD|SECRET|TOKEN)=/i);
    expect(words).not.toContain(":latest");
  }
  for (const words of named("RUN").filter((each) => each.includes("apt-get install")))
    expect(words).toMatch(/--no-install-recommends.*rm -rf \/var\/lib\/apt\/lists/);
  // Only what was built is taken over, and nothing of the owner's gets in.
  expect(final.filter(({ name }) => name === "COPY").map(({ words }) => words)).toEqual([
    "--from=build /app /app",
    "--chmod=0755 container/start.sh /usr/local/bin/elwood-start",
  ]);
  expect(read(".dockerignore").split("\n")).toEqual(
    expect.arrayContaining([".env", ".git", "**/node_modules"]),
  );
});

interface Service {
  readonly image?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

test.each(["compose.yaml", "container/compose.caddy.yaml"])(
  "%s keeps its services read-only, without capabilities, and with data in volumes that are named",
  (path) => {
    const { services, volumes } = parse(read(path)) as {
      services: Record<string, Service>;
      volumes: Record<string, unknown>;
    };
    for (const [name, service] of Object.entries(services)) {
      // What the other file adds to it is in that one.
      if (service.image === undefined) continue;
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
      expect(service.security_opt).toContain("no-new-privileges:true");
      expect(service.image).not.toMatch(/:latest$/);
      expect(service.healthcheck?.test[0]).toBe("CMD");
      for (const volume of service.volumes ?? [])
        expect(Object.keys(volumes)).toContain(volume.split(":")[0]);
      expect(JSON.stringify(service)).not.toMatch(/privileged|network_mode|\/var\/run\/docker/);
      if (name === "elwood") expect(service.ports).toEqual(["127.0.0.1:18789:18789"]);
    }
  },
);

test("behind Caddy, Elwood knows the name that Caddy serves, and it must be given", () => {
  const { services } = parse(read("container/compose.caddy.yaml")) as { services: Record<string, Service> };
  expect(services["elwood"]?.environment?.["ELWOOD_ALLOWED_HOSTS"]).toMatch(/^\$\{ELWOOD_DOMAIN:\?/);
  expect(JSON.stringify(services["caddy"])).toContain('"--from","${ELWOOD_DOMAIN}","--to","elwood:18789"');
});

test("the start makes a token once, for its user alone, and none where one was named", () => {
  const folder = mkdtempSync(join(tmpdir(), "elwood-container-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [home, bin] = [join(folder, "home"), join(folder, "bin")];
  for (const each of [home, bin]) mkdirSync(each);
  writeFileSync(join(bin, "elwood"), '#!/bin/sh\necho "$@"\n');
  chmodSync(join(bin, "elwood"), 0o755);
  const start = (tokenFile: string) =>
    execFileSync("sh", [join(root, "container/start.sh"), "up", "--no-open"], {
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env["PATH"]}`, ELWOOD_HOME: home, ELWOOD_TOKEN_FILE: tokenFile },
    });
  const file = join(home, "container-token");
  expect(start(join(folder, "mine"))).toBe("up --no-open\n");
  expect(() => statSync(file)).toThrow("ENOENT");
  expect(start(file)).toBe("up --no-open\n");
  const token = readFileSync(file, "utf8");
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  start(file);
  expect(readFileSync(file, "utf8")).toBe(token);
});
