import { createSocket } from "node:dgram";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  browserScene,
  decoy,
  TEST_BROWSER,
  type BrowserScene,
  type Decoy,
} from "../../test/browser/test-scene.ts";
import { html, text } from "../../test/browser/test-site.ts";

/** Every way that a page has to say something to an address; each resolves, whatever came of it. */
const ATTACK = `<!doctype html><title>Attack</title><body><div id=log>busy</div><script>
const tell = (url, kind) => new Promise((done) => {
  const over = () => done(kind);
  setTimeout(over, 1500);
  if (kind === "fetch") fetch(url).then((r) => r.text()).then((t) => { log.push(kind + " " + url + " read " + t); over(); }, over);
  if (kind === "no-cors") fetch(url, { mode: "no-cors", method: "POST", body: "x" }).then(over, over);
  if (kind === "socket") { const s = new WebSocket(url.replace("http", "ws")); s.onopen = () => { log.push("socket open " + url); over(); }; s.onerror = over; }
  if (kind === "image") { const i = new Image(); i.onload = i.onerror = over; i.src = url + "/i.png"; }
  if (kind === "script") { const s = document.createElement("script"); s.onload = s.onerror = over; s.src = url + "/s.js"; document.head.append(s); }
  if (kind === "frame") { const f = document.createElement("iframe"); f.onload = over; f.src = url; document.body.append(f); }
  if (kind === "form") { const f = document.createElement("form"); f.method = "post"; f.action = url; f.target = "inner"; document.body.append(f); f.submit(); over(); }
  if (kind === "beacon") { navigator.sendBeacon(url, "x"); over(); }
  if (kind === "events") { const e = new EventSource(url); e.onerror = () => { e.close(); over(); }; }
  if (kind === "hint") { for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload", "modulepreload"]) { const l = document.createElement("link"); l.rel = rel; l.as = "script"; l.href = url; document.head.append(l); } over(); }
  if (kind === "rules") { const s = document.createElement("script"); s.type = "speculationrules"; s.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: [url] }], prerender: [{ source: "list", urls: [url] }] }); document.head.append(s); over(); }
  if (kind === "worker") { const w = new Worker(URL.createObjectURL(new Blob(["fetch(" + JSON.stringify(url) + ").catch(() => 0).then(() => { try { new WebSocket(" + JSON.stringify(url.replace("http", "ws")) + ") } catch {} postMessage(1) })"]))); w.onmessage = over; }
  if (kind === "transport" && self.WebTransport) { try { new WebTransport(url.replace("http:", "https:")).ready.then(over, over); } catch { over(); } }
});
const log = [];
(async () => {
  const { targets, udp } = await (await fetch("/targets")).json();
  const inner = document.createElement("iframe"); inner.name = "inner"; document.body.append(inner);
  const kinds = ["fetch", "no-cors", "socket", "image", "script", "frame", "form", "beacon", "events", "hint", "rules", "worker", "transport"];
  await Promise.all(targets.flatMap((url) => kinds.map((kind) => tell(url, kind))));
  try {
    const peer = new RTCPeerConnection({ iceServers: udp.map((at) => ({ urls: "stun:" + at })).concat(udp.map((at) => ({ urls: "turn:" + at + "?transport=tcp", username: "a", credential: "b" }))) });
    peer.onicecandidate = ({ candidate }) => candidate && log.push("candidate " + candidate.candidate);
    peer.createDataChannel("x");
    await peer.setLocalDescription(await peer.createOffer());
    await new Promise((done) => setTimeout(done, 1500));
  } catch (error) { /* no such thing is fine */ }
  // Around whatever stands in the way of the plain call.
  try {
    const register = ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, "/worker.js");
    const { installing } = (await Promise.race([register, new Promise((done) => setTimeout(done, 3000))])) ?? {};
    if (installing) await new Promise((done) => { installing.onstatechange = done; setTimeout(done, 3000); });
  } catch (error) { /* refused is fine */ }
  document.getElementById("log").textContent = "done: " + JSON.stringify(log);
})();
</script>`;

const SERVICE_WORKER = `self.addEventListener("install", (event) => event.waitUntil((async () => {
  const { targets } = await (await fetch("/targets")).json();
  await Promise.all(targets.map((url) => Promise.race([fetch(url, { mode: "no-cors" }).catch(() => 0), new Promise((done) => setTimeout(done, 1000))])));
  for (const url of targets) try { new WebSocket(url.replace("http", "ws")); } catch {}
})()))`;

const REACH = `<title>Reach</title><p></p><script type="module">
  const say = (words) => document.querySelector("p").append(words + " ");
  for (const mode of ["cors", "no-cors"]) await fetch("OWN/", { mode, method: "POST" }).then((r) => r.text()).then((t) => say("read " + t), () => {});
  const socket = new WebSocket("OWN/".replace("http", "ws"));
  await new Promise((resolve) => (socket.onopen = socket.onerror = resolve));
  const frame = document.createElement("iframe"); frame.src = "OWN/frame"; document.body.append(frame);
  await new Promise((resolve) => (frame.onload = resolve));
  say("tried all");
</script>`;

describe.skipIf(TEST_BROWSER === undefined)("EL-14: a page that attacks from inside the browser", () => {
  const site = new LoopbackServer();
  let scene: BrowserScene;
  let gateway: Decoy;
  let privateHost: Decoy;
  let sixth: Decoy;
  /** Opened by the owner: it shows that the page's ways would work. */
  let opened: Decoy;
  let url = "";
  const udp = createSocket("udp4");
  const datagrams: string[] = [];

  beforeAll(async () => {
    await site.start();
    url = site.url;
    gateway = await decoy();
    privateHost = await decoy();
    sixth = await decoy("::1");
    opened = await decoy();
    udp.on("message", (bytes) => datagrams.push(bytes.toString("hex")));
    await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
    scene = await browserScene({
      // Even an origin that the owner opened stays shut where it is the gateway's own.
      allowed: [url, `http://127.0.0.1:${opened.port}`, `http://127.0.0.1:${gateway.port}`],
      ownPorts: [gateway.port],
      names: {
        "rebind.example": "127.0.0.1",
        "six.example": "::1",
        "inside.example": "10.0.0.7",
        "gateway.example": "93.184.216.34",
      },
    });
    const targets = [
      // First, because Chromium slows sockets down after many that failed.
      `http://127.0.0.1:${opened.port}`,
      ...[
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0.0.0.0",
        "[::ffff:127.0.0.1]",
        "rebind.example",
        "a.localhost",
      ].flatMap((host) => [`http://${host}:${gateway.port}`, `http://${host}:${privateHost.port}`]),
      `https://127.0.0.1:${gateway.port}`,
      `http://[::1]:${sixth.port}`,
      `http://six.example:${sixth.port}`,
      "http://inside.example",
      "https://inside.example",
      "http://rebind.example",
      "http://10.0.0.1",
      "http://169.254.169.254/latest/meta-data",
      "http://gateway.example",
    ];
    site.always("GET /", html(ATTACK));
    site.always(
      "GET /targets",
      text(
        200,
        "application/json",
        JSON.stringify({
          targets,
          udp: [
            `127.0.0.1:${udp.address().port}`,
            `rebind.example:${privateHost.port}`,
            `127.0.0.1:${privateHost.port}`,
          ],
        }),
      ),
    );
    site.always("GET /worker.js", text(200, "text/javascript", SERVICE_WORKER));
    site.always("GET /favicon.ico", text(404, "text/plain", ""));
    for (const [path, to] of [
      ["/to-gateway", `http://127.0.0.1:${gateway.port}/`],
      ["/to-name", `http://rebind.example:${privateHost.port}/`],
      ["/to-file", "file:///etc/passwd"],
    ] as const)
      site.always(`GET ${path}`, text(302, "text/plain", "", { location: to }));
  });

  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
    for (const each of [gateway, privateHost, sixth, opened]) await each[Symbol.asyncDispose]();
    await new Promise<void>((resolve) => udp.close(() => resolve()));
    await site.close();
  });

  test("does not reach a machine that the owner opened, unless the conversation went there by itself", async () => {
    const own = `http://127.0.0.1:${opened.port}`;
    site.always("GET /reach", html(REACH.replaceAll("OWN", own)));
    site.always("GET /to-own", text(302, "text/plain", "", { location: `${own}/` }));
    await scene.run("open", { url: `${url}/reach` }, "stranger");
    const tried = await scene.run("wait", { text: "tried all" }, "stranger");
    expect(tried.text).toContain(`tried to reach 127.0.0.1:${opened.port}`);
    expect((await scene.run("read", {}, "stranger")).text).not.toContain("read secret");
    await expect(scene.run("open", { url: `${url}/to-own` }, "stranger")).rejects.toThrow(/for you to name/);
    expect(opened.heard).toEqual([]);
    await scene.run("close", { all: true }, "stranger");
  });

  test("reaches neither the gateway nor a private address, by no spelling, name, socket, frame or hint", async () => {
    await scene.run("open", { url: `http://127.0.0.1:${opened.port}/` });
    await scene.run("open", { url: `${url}/` });
    await scene.run("wait", { text: "done:", timeoutMs: 30_000 });
    const read = await scene.run("read", {});
    expect(gateway.heard).toEqual([]);
    expect(privateHost.heard).toEqual([]);
    expect(sixth.heard).toEqual([]);
    expect(datagrams).toEqual([]);
    // Nothing was dialled but the page's own site, and no name was looked up but those it tried.
    expect(new Set(scene.dialled)).toEqual(new Set([new URL(url).host, `127.0.0.1:${opened.port}`]));
    const methods = new Set(opened.heard.map((bytes) => bytes.split(" ")[0]));
    expect([...methods]).toEqual(expect.arrayContaining(["GET", "POST"]));
    expect(opened.heard.filter((bytes) => /^upgrade: websocket/im.test(bytes)).length).toBeGreaterThan(0);
    expect(opened.heard.join()).not.toMatch(/proxy-authorization/i);
    // Asked for by the page alone: its service worker never ran.
    expect(site.requests.filter(({ path }) => path === "/targets")).toHaveLength(1);
    expect(scene.lookedUp.filter((name) => !name.endsWith(".example"))).toEqual([]);
    expect(read.text).toContain("read secret");
    expect(read.text?.match(/read secret/g)).toHaveLength(1);
    expect(read.text).not.toContain("socket open");
    expect(read.text).not.toContain("candidate");
    expect(read.text).toContain("which Elwood does not connect to");
  });

  test("cannot be led there by a redirect, and the call says so", async () => {
    await expect(scene.run("open", { url: `${url}/to-gateway` })).rejects.toThrow(/leads to Elwood itself/);
    await expect(scene.run("open", { url: `${url}/to-name` })).rejects.toThrow(/does not connect to/);
    await expect(scene.run("open", { url: `${url}/to-file` })).rejects.toThrow(/could not be opened/);
    expect(gateway.heard).toEqual([]);
    expect(privateHost.heard).toEqual([]);
  });

  test.each([
    ["http://127.0.0.1:1/", "hard.address"],
    ["http://[::1]/", "hard.address"],
    ["http://2130706433/", "hard.address"],
    ["http://localhost/", "hard.host-name"],
    ["http://gateway.example/", "hard.own-origin"],
    ["file:///etc/passwd", "hard.scheme"],
    ["chrome://settings", "hard.scheme"],
    ["data:text/html,hi", "hard.scheme"],
    ["javascript:alert(1)", "hard.scheme"],
    ["view-source:https://example.org/", "hard.scheme"],
    ["about:config", "hard.scheme"],
    ["devtools://devtools/bundled/inspector.html", "hard.scheme"],
    ["https://user:pass@example.org/", "hard.userinfo"],
    ["not an address", "hard.url"],
  ])("%s is denied by %s before anybody is asked", async (address, rule) => {
    expect(await scene.facts("open", { url: address })).toEqual([
      expect.objectContaining({ kind: "deny", rule }),
    ]);
    await expect(scene.run("open", { url: address })).rejects.toThrow("Nothing was sent.");
  });

  test("a name that leads to a private address is refused by the call itself; deciding looks nothing up", async () => {
    const before = scene.lookedUp.length;
    expect(await scene.facts("open", { url: "http://rebind.example/" })).toEqual([]);
    await scene.preview("open", { url: "http://rebind.example/" });
    expect(scene.lookedUp).toHaveLength(before);
    await expect(scene.run("open", { url: "http://rebind.example/" })).rejects.toThrow("Nothing was sent.");
    expect(scene.lookedUp.slice(before)).toEqual(["rebind.example"]);
  });

  test("an empty page is no address at all", async () => {
    expect(await scene.facts("open", { url: "about:blank" })).toEqual([]);
  });
});
