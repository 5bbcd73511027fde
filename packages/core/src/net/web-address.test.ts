import { REFUSED_ADDRESSES } from "@elwood/testkit/web-addresses";
import { describe, expect, test } from "vitest";
import { parseAddress } from "./address.ts";
import { isRefusal, judgeAddresses, readHost, readOrigin, readTarget, type WebRules } from "./web-address.ts";

const rules: WebRules = {
  allowedOrigins: [readOrigin("http://192.168.1.20:8123")!, readOrigin("http://searx.lan")!],
  ownPorts: [18_789],
  ownHosts: ["127.0.0.1", "home.example"],
  ownOrigins: [readOrigin("https://page.example:8443")!],
  ownAddresses: [parseAddress("198.51.100.77")!],
};

describe("addresses that no tool may reach", () => {
  test.each(REFUSED_ADDRESSES)("$id $url is refused by $rule", ({ url, rule }) => {
    expect(readTarget(url, rules)).toMatchObject({ rule });
  });
});

describe("addresses of the open web", () => {
  test.each([
    ["http://example.com/", "example.com", 80],
    ["https://example.com/a?b#c", "example.com", 443],
    ["https://example.com:80/", "example.com", 80],
    ["http://example.com./", "example.com", 80],
    ["http://127.evil.example/", "127.evil.example", 80],
    ["http://10.0.0.1.evil.example/", "10.0.0.1.evil.example", 80],
    ["http://localhost.example/", "localhost.example", 80],
    ["http://mylocal.example/", "mylocal.example", 80],
    ["http://notlan.com/", "notlan.com", 80],
    ["http://93.184.216.34/", "93.184.216.34", 80],
    ["http://[2606:2800:220:1::1]/", "2606:2800:220:1::1", 80],
    ["https://bücher.example/", "xn--bcher-kva.example", 443],
  ])("%s is judged by what it resolves to", (url, host, port) => {
    expect(readTarget(url, rules)).toMatchObject({ host, port, exempt: false });
  });
});

describe("every answer of a lookup counts", () => {
  const target = readTarget("http://name.example/", rules);
  if (isRefusal(target)) throw new Error("must be a target");
  const judged = (...answers: string[]) => judgeAddresses(target, answers.map(parseAddress), rules)?.rule;

  test("public answers pass", () => {
    expect(judged("93.184.216.34", "2606:2800:220:1::1")).toBeUndefined();
  });

  test.each(["127.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::a00:1", "fe80::1%eth0", "x"])(
    "one bad answer among good ones refuses the name: %s",
    (bad) => {
      expect(judged("93.184.216.34", bad)).toBe("hard.address");
    },
  );

  test("a name that leads to the gateway's own port is refused as such", () => {
    const here = readHost("name.example", 18_789, {
      ...rules,
      allowedOrigins: ["http://name.example:18789"],
    });
    if (isRefusal(here)) throw new Error("must be a target");
    expect(here.exempt).toBe(true);
    for (const answer of ["127.0.0.1", "198.51.100.77", "::1"]) {
      expect(judgeAddresses(here, [parseAddress(answer)], rules)?.rule).toBe("hard.own-origin");
    }
    expect(judgeAddresses(here, [parseAddress("192.168.1.2")], rules)).toBeUndefined();
  });
});

describe("a refusal says how the owner opens what may be theirs", () => {
  test.each([
    ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080"],
    ["http://localhost/", "http://localhost"],
    ["https://192.168.1.9/", "https://192.168.1.9"],
    ["http://[::1]:3000/", "http://[::1]:3000"],
    ["https://shop.example:8443/", "https://shop.example:8443"],
  ])("%s", (url, origin) => {
    expect(readTarget(url, rules)).toMatchObject({
      reason: expect.stringContaining(
        `by adding ${origin} to web.allowedOrigins in the configuration.`,
      ) as string,
    });
  });

  test("a name that leads there is opened by its name", () => {
    const target = readTarget("https://nas.example/", rules);
    if (isRefusal(target)) throw new Error(target.reason);
    expect(judgeAddresses(target, [parseAddress("192.168.1.9")], rules)?.reason).toContain(
      "adding https://nas.example to web.allowedOrigins",
    );
  });

  test.each([
    "http://169.254.169.254/",
    "http://metadata.goog/",
    "http://127.0.0.1:18789/",
    "ftp://a.example/",
  ])("%s is not one of them", (url) => {
    const refused = readTarget(url, rules);
    expect(isRefusal(refused) && refused.reason).not.toContain("allowedOrigins");
  });
});

describe("origins that the owner named", () => {
  test("are reached at their very scheme, host and port, and nowhere beside", () => {
    expect(readTarget("http://192.168.1.20:8123/api", rules)).toMatchObject({ exempt: true });
    expect(readTarget("http://SEARX.lan./search?q=x", rules)).toMatchObject({ exempt: true });
    expect(readTarget("http://192.168.1.20/", rules)).toMatchObject({ rule: "hard.address" });
    expect(readTarget("https://192.168.1.20:8123/", rules)).toMatchObject({ rule: "hard.address" });
    expect(readTarget("http://192.168.1.21:8123/", rules)).toMatchObject({ rule: "hard.address" });
    expect(readTarget("http://a.searx.lan/", rules)).toMatchObject({ rule: "hard.host-name" });
    expect(readTarget("http://me@192.168.1.20:8123/", rules)).toMatchObject({ rule: "hard.userinfo" });
  });

  test("never open the gateway itself", () => {
    const own = ["http://127.0.0.1:18789", "http://localhost:18789", "https://home.example"];
    const opened = { ...rules, allowedOrigins: own.map((origin) => readOrigin(origin)!) };
    for (const url of own) expect(readTarget(url, opened)).toMatchObject({ rule: "hard.own-origin" });
  });

  test("are compared in one form", () => {
    expect(readOrigin("HTTPS://Example.COM.")).toBe("https://example.com:443");
    expect(readOrigin("http://[::1]:8080")).toBe("http://[::1]:8080");
    for (const text of ["example.com", "http://a/b", "http://a?b", "ftp://a", "http://u@a", "http://a/#b"]) {
      expect(readOrigin(text), text).toBeUndefined();
    }
  });

  test("a host and port alone are enough for a tunnel", () => {
    expect(readHost("example.com", 443, rules)).toMatchObject({ host: "example.com", port: 443 });
    expect(readHost("[::1]", 443, rules)).toMatchObject({ rule: "hard.address" });
    expect(readHost("192.168.1.20", 8123, rules)).toMatchObject({ exempt: true });
    expect(readHost("example.com", 22, rules)).toMatchObject({ rule: "hard.port" });
  });
});
