import { Socket } from "node:net";
import { parseAddress } from "@elwood/core/net/address";
import { readOrigin, type WebRules } from "@elwood/core/net/web-address";
import { REFUSED_ADDRESSES } from "@elwood/testkit/web-addresses";
import { describe, expect, test } from "vitest";
import { makeGuardedDialer } from "./guarded-dialer.ts";
import { systemDialer } from "./system-dialer.ts";

const PUBLIC = "93.184.216.34";

const rules: WebRules = {
  allowedOrigins: [readOrigin("http://searx.lan:8888")!],
  ownPorts: [18_789],
  ownHosts: ["home.example"],
  ownOrigins: [readOrigin("https://page.example:8443")!],
  ownAddresses: [parseAddress("198.51.100.77")!],
};

/** A resolver that answers from a list, one entry a lookup, and a network that only notes who is dialled. */
function scene(answers: readonly (readonly string[])[] = [[PUBLIC]], broken: readonly string[] = []) {
  const asked: string[] = [];
  const dialled: string[] = [];
  const dialer = makeGuardedDialer({
    rules: () => rules,
    resolve: async (name) => {
      asked.push(name);
      const answer = answers[Math.min(asked.length, answers.length) - 1]!;
      if (answer.length === 0) throw new Error("ENOTFOUND");
      return answer;
    },
    connect: async (address, port) => {
      dialled.push(`${address} ${port}`);
      if (broken.includes(address)) throw Object.assign(new Error("no"), { code: "ECONNREFUSED" });
      return new Socket();
    },
  });
  return { dialer, asked, dialled };
}

describe("EL-14: the guarded dialer", () => {
  test.each(REFUSED_ADDRESSES)(
    "$id $url: nothing is looked up and nothing is dialled",
    async ({ url, rule }) => {
      const { dialer, asked, dialled } = scene();
      expect(await dialer.check(url)).toMatchObject({ ok: false, rule });
      expect(asked).toEqual([]);
      expect(dialled).toEqual([]);
    },
  );

  test("ssrf-175: a name that starts with 127. is looked up like any other", async () => {
    const { dialer, asked } = scene();
    expect(await dialer.check("http://127.evil.example/")).toMatchObject({ ok: true, addresses: [PUBLIC] });
    expect(asked).toEqual(["127.evil.example"]);
  });

  test("ssrf-176: a name is looked up once, and what it would say later is never dialled", async () => {
    const { dialer, asked, dialled } = scene([[PUBLIC], ["127.0.0.1"]]);
    await dialer.dial("rebind.example", 80);
    expect(asked).toHaveLength(1);
    expect(dialled).toEqual([`${PUBLIC} 80`]);
    await expect(dialer.dial("rebind.example", 80)).rejects.toMatchObject({
      code: "address_refused",
      rule: "hard.address",
    });
    expect(dialled).toHaveLength(1);
  });

  test("one private answer among public ones refuses the name", async () => {
    for (const bad of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:a00:1", "fe80::1"]) {
      for (const answers of [
        [PUBLIC, bad],
        [bad, PUBLIC],
      ]) {
        const { dialer, dialled } = scene([answers]);
        await expect(dialer.dial("mixed.example", 443)).rejects.toMatchObject({ rule: "hard.address" });
        expect(dialled).toEqual([]);
      }
    }
  });

  test("an origin that the owner named may be private, but its name may not lead to the gateway", async () => {
    const { dialer, dialled } = scene([["192.168.1.5"]]);
    await dialer.dial("searx.lan", 8888);
    expect(dialled).toEqual(["192.168.1.5 8888"]);
    const named = { ...rules, allowedOrigins: ["http://trick.example:18789"] };
    const tricked = makeGuardedDialer({
      rules: () => named,
      resolve: async () => ["198.51.100.77"],
      connect: () => Promise.reject(new Error("must not be dialled")),
    });
    await expect(tricked.dial("trick.example", 18_789)).rejects.toMatchObject({ rule: "hard.own-origin" });
  });

  test("where one checked address does not answer the next one is tried", async () => {
    const { dialer, dialled } = scene([["2606:2800:220:1::1", PUBLIC]], ["2606:2800:220:1::1"]);
    await dialer.dial("two.example", 443);
    expect(dialled).toEqual(["2606:2800:220:1::1 443", `${PUBLIC} 443`]);
  });

  test("where none answers, that is said, and that nothing was sent", async () => {
    const { dialer } = scene([[PUBLIC]], [PUBLIC]);
    await expect(dialer.dial("down.example", 443)).rejects.toMatchObject({
      code: "unreachable",
      message: "No connection to down.example on port 443: nothing listens there. Nothing was sent.",
    });
  });

  test("a name that is unknown is no breach of a rule", async () => {
    const { dialer } = scene([[]]);
    expect(await dialer.check("https://nowhere.example/")).toMatchObject({ ok: false, rule: "unresolved" });
    await expect(dialer.dial("nowhere.example", 443)).rejects.toMatchObject({ code: "not_found" });
  });

  test("a name with absurdly many answers is not used", async () => {
    const { dialer } = scene([Array.from({ length: 65 }, (_, at) => `93.184.216.${at}`)]);
    expect(await dialer.check("https://many.example/")).toMatchObject({ ok: false, rule: "unresolved" });
  });

  test("who stops waiting is not kept by a lookup that hangs", async () => {
    const stop = new AbortController();
    const hanging = makeGuardedDialer({
      rules: () => rules,
      resolve: () => new Promise(() => {}),
      connect: () => Promise.reject(new Error("must not be dialled")),
    });
    const dialled = hanging.dial("slow.example", 80, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(dialled).rejects.toThrow("stopped");
  });
});

describe("the dialer of this machine", () => {
  test("refuses the gateway's own port on loopback and on each network card, whatever was allowed", async () => {
    const { networkInterfaces } = await import("node:os");
    const cards = Object.values(networkInterfaces()).flatMap((card) => card ?? []);
    const v4 = cards.filter(({ family }) => family === "IPv4").map(({ address }) => address);
    const hosts = ["127.0.0.1", "localhost", "[::1]", ...v4];
    const dialer = systemDialer({
      allowedOrigins: hosts.map((host) => `http://${host}:18789`),
      ownPorts: () => [18_789],
      ownHosts: [],
      ownOrigins: [],
    });
    for (const host of hosts) {
      expect(await dialer.check(`http://${host}:18789/`), host).toMatchObject({ rule: "hard.own-origin" });
    }
  });
});
