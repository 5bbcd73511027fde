import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { after, cut, Dripper, gate, json, never, piecesOf, raw, sse, stream } from "./answers.ts";
import { LoopbackServer } from "./loopback-server.ts";
import { nextEventLoopTurn } from "./manual-clock.ts";

let server: LoopbackServer;
beforeEach(async () => {
  server = await new LoopbackServer().start();
});
afterEach(() => server.close());

const post = (path: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body), ...init });

describe("script and ledger", () => {
  test("answers come first in, first out, per route", async () => {
    server.script("POST /a", json(200, 1), json(201, 2)).script("POST /b", json(200, 3));
    expect(await (await post("/a", {})).json()).toBe(1);
    expect(await (await post("/b", {})).json()).toBe(3);
    expect((await post("/a", {})).status).toBe(201);
    server.assertDone();
  });

  test("the ledger keeps method, path, query, headers, body and order", async () => {
    server.script("POST /a", json(200, {})).always("GET /b", json(200, {}));
    await post("/a", { n: 1 }, { headers: { "x-mark": "yes" } });
    await fetch(`${server.url}/b?q=2`);
    expect(server.requests.map((r) => `${r.at} ${r.method} ${r.path}`)).toEqual(["1 POST /a", "2 GET /b"]);
    expect(server.requests[0]).toMatchObject({ body: { n: 1 }, headers: { "x-mark": "yes" } });
    expect(server.last("GET /b").query.get("q")).toBe("2");
  });

  test("an unexpected request is answered 599 and remembered against the test", async () => {
    const response = await post("/nobody", {});
    expect(response.status).toBe(599);
    expect(await response.text()).toContain("did not expect request 1: POST /nobody");
    expect(() => server.assertDone()).toThrow(/request 1 \(POST \/nobody\) was not expected/);
  });

  test("an answer nobody asked for makes assertDone throw", () => {
    server.script("POST /a", json(200, 1));
    expect(() => server.assertDone()).toThrow(/1 scripted answer\(s\) for POST \/a/);
  });

  test("a standing answer serves any number of requests after the script", async () => {
    server.always("POST /a", json(200, "standing")).script("POST /a", json(200, "first"));
    const seen = [];
    for (let i = 0; i < 3; i++) seen.push(await (await post("/a", {})).json());
    expect(seen).toEqual(["first", "standing", "standing"]);
    server.assertDone();
  });

  test("the ledger forgets the oldest beyond its limit", async () => {
    const small = await new LoopbackServer({ ledgerMax: 2 }).start();
    small.always("GET /", json(200, 1));
    for (let i = 0; i < 3; i++) await (await fetch(small.url)).text();
    expect(small.requests.map((r) => r.at)).toEqual([2, 3]);
    await small.close();
  });

  test("a request that the check refuses gets 400 and is remembered", async () => {
    const strict = await new LoopbackServer({ check: () => "field x is missing" }).start();
    const response = await fetch(strict.url);
    expect(response.status).toBe(400);
    expect(() => strict.assertDone()).toThrow(/malformed: field x is missing/);
    await strict.close();
  });
});

describe("faults by hand", () => {
  test("a gate holds the answer back until the test opens it", async () => {
    const door = gate();
    server.script("POST /a", after(door, json(200, "late")));
    let answered = false;
    const response = post("/a", {}).then((r) => {
      answered = true;
      return r;
    });
    await server.untilRequests(1);
    await nextEventLoopTurn();
    expect(answered).toBe(false);
    door.open();
    expect(await (await response).json()).toBe("late");
  });

  test("a stream waits at a gate between two parts", async () => {
    const door = gate();
    server.script("POST /a", stream([sse("one"), { wait: door }, sse("two", "named")]));
    const reader = (await post("/a", {})).body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("data: one\n\n");
    door.open();
    expect((await reader.read()).value).toBe("event: named\ndata: two\n\n");
    expect((await reader.read()).done).toBe(true);
  });

  test("a cut stream delivers what was sent and then breaks", async () => {
    server.script("POST /a", stream([sse("one"), { cut: true }]));
    const reader = (await post("/a", {})).body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe("data: one\n\n");
    await expect(reader.read()).rejects.toThrow();
  });

  test("a connection cut before the answer fails the request", async () => {
    server.script("POST /a", cut());
    await expect(post("/a", {})).rejects.toThrow();
  });

  test("an answer that never comes lasts until the client hangs up, and the ledger shows it", async () => {
    server.script("POST /a", never());
    const stop = new AbortController();
    const response = post("/a", {}, { signal: stop.signal });
    await server.untilRequests(1);
    stop.abort();
    await expect(response).rejects.toThrow();
    await expect.poll(() => server.last().hungUp).toBe(true);
    server.assertDone();
  });

  test("dripped bytes arrive whole, and a dripper lets them through one at a time", async () => {
    const dripper = new Dripper();
    server.script("POST /a", stream([{ drip: "slow" }, { dripBy: dripper, bytes: "é!" }]));
    const response = await post("/a", {});
    const text = response.text();
    for (let settled = false; !settled;) {
      dripper.drop();
      settled = await Promise.race([text.then(() => true), nextEventLoopTurn().then(() => false)]);
    }
    expect(await text).toBe("slowé!");
  });

  test("raw bytes go out as they are", async () => {
    server.script("POST /a", raw(502, "<html>bad gateway</html>", { "content-type": "text/html" }));
    const response = await post("/a", {});
    expect(response.status).toBe(502);
    expect(await response.text()).toBe("<html>bad gateway</html>");
  });

  test("pieces of a text join to the text", () => {
    expect(piecesOf("héllo 👋 world", 3).join("")).toBe("héllo 👋 world");
  });
});
