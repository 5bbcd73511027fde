import type { ProgramErrorCode } from "@elwood/core/tool/program";

export interface HostileProgram {
  readonly title: string;
  readonly source: string;
  /** What it returns, or the words it may end with. */
  readonly returns?: unknown;
  readonly ends?: ProgramErrorCode | readonly ProgramErrorCode[];
  /** Inputs of the calls that reach the host; none unless told. */
  readonly inputs?: readonly unknown[];
}

const call = "const answer = await tools.files.read({ path: 'a' });";
const genuine = { ok: true, value: { n: 0 } };
const oneCall = [{ path: "a" }];
/** Where the engine may refuse the size before the look at its memory comes round. */
const memory = ["program.memory_limit", "program.threw"] as const;

/**
 * Programs that want out, or want to take everything down with them. Each must end by one
 * of the names, or with an ordinary result, having reached nothing but the calls listed.
 */
export const HOSTILE_PROGRAMS: readonly HostileProgram[] = [
  // ── looking for the host ──────────────────────────────────────────────────────────
  {
    title: "looks for the globals of a server or a browser",
    source: `return ["process", "require", "module", "fetch", "WebAssembly", "Buffer", "setTimeout", "setInterval",
      "setImmediate", "XMLHttpRequest", "Worker", "Deno", "Bun", "window", "self", "global", "crypto", "Intl", "std", "os", "bjson", "print",
      "scriptArgs", "gc"].filter((name) => name in globalThis)`,
    returns: [],
  },
  {
    title: "looks for what makes two executions differ",
    source: `return ["WeakRef", "FinalizationRegistry", "SharedArrayBuffer", "Atomics"].filter((name) => name in globalThis)`,
    returns: [],
  },
  {
    title: "climbs from this",
    source: "return this.constructor.constructor('return process')()",
    ends: "program.threw",
  },
  {
    title: "climbs from a tool",
    source: "return tools.files.read.constructor('return process')()",
    ends: "program.threw",
  },
  {
    title: "climbs from an object",
    source: "return ({}).constructor.constructor('return process')()",
    ends: "program.threw",
  },
  {
    title: "climbs from an async function",
    source: "return (async () => {}).constructor('return process')()",
    ends: "program.threw",
  },
  {
    title: "climbs from a generator",
    source: "return (function* () {}).constructor('yield 1')()",
    ends: "program.threw",
  },
  {
    title: "climbs from an async generator",
    source: "return (async function* () {}).constructor('yield 1')()",
    ends: "program.threw",
  },
  {
    title: "climbs from console",
    source: "return console.log.constructor('return process')()",
    ends: "program.threw",
  },
  {
    title: "makes a function from text",
    source: "return new Function('return process')()",
    ends: "program.threw",
  },
  {
    title: "constructs Function by reflection",
    source: "return Reflect.construct(Function, ['return 1'])()",
    ends: "program.threw",
  },
  {
    title: "extends Function",
    source: "class F extends Function {}; return new F('return 1')()",
    ends: "program.threw",
  },
  { title: "evaluates text", source: "return eval('1 + 1')", ends: "program.threw" },
  {
    title: "evaluates text indirectly",
    source: "return (0, globalThis['ev' + 'al'])('1')",
    ends: "program.threw",
  },
  { title: "writes eval with an escape", source: "return \\u0065val('1')", ends: "program.threw" },
  { title: "imports a module of the host", source: "return await import('node:fs')", ends: "program.threw" },
  {
    title: "imports a file",
    source: "return (await import('file:///etc/passwd')).default",
    ends: "program.threw",
  },
  { title: "imports at the top", source: "import fs from 'node:fs'; return fs", ends: "program.syntax" },
  { title: "asks where it lies", source: "return import.meta.url", ends: "program.syntax" },
  {
    title: "leaves its wrapper",
    source: "return 1 });\nglobalThis.out = 7; (async function () { return out",
    returns: 7,
  },
  { title: "uses with", source: "with (globalThis) { return process }", ends: "program.syntax" },
  {
    title: "asks for its caller",
    source: "return (function () { return arguments.callee.caller })()",
    ends: "program.threw",
  },
  {
    title: "reads the stack of an error that the bridge threw",
    source:
      "try { tools.files.read(1n) } catch (error) { return /[/\\\\\\\\]|node:|\\\\.ts/.test(error.stack) }",
    returns: false,
  },
  {
    title: "captures the functions on the stack and calls the bridge itself",
    source: `
      const seen = [];
      Error.prepareStackTrace = (_, sites) => { for (const s of sites) { try { seen.push(s.getFunction()) } catch {} } return "" };
      try { tools.files.read({ get a() { return new Error().stack } }) } catch {}
      for (const f of [...seen]) if (typeof f === "function" && f !== program) { try { f("tool", "secret.thing.steal", "{}") } catch {} }
      return "nothing"`,
    ends: "program.threw",
  },
  {
    title: "asks for a tool that it was not given",
    source: "return tools.secret.thing.steal({})",
    ends: "program.threw",
  },
  {
    title: "looks for prototypes in tools",
    source:
      "return [tools.constructor, tools.__proto__, tools.files.constructor, Object.getPrototypeOf(tools), Object.getPrototypeOf(tools.files)]",
    returns: [null, null, null, null, null],
  },
  {
    title: "reads the source of a tool",
    source:
      "return /process|require|fs|socket/.test(String(tools.files.read) + String(console.log) + String(sleep))",
    returns: false,
  },
  // ── tampering with the bridge ─────────────────────────────────────────────────────
  {
    title: "overwrites, deletes and redefines tools",
    source: `
      const tries = [() => { tools.files = 1 }, () => { tools.files.read = 1 }, () => { delete tools.files }, () => { globalThis.tools = {} },
        () => { delete globalThis.tools }, () => Object.defineProperty(tools.files, "read", { value: 1 }), () => Object.setPrototypeOf(tools, {}),
        () => { tools.files.read.x = 1 }, () => { console.log = 1 }, () => { globalThis.sleep = 1 }, () => { performance.now = 1 }];
      let refused = 0;
      for (const attempt of tries) { try { attempt() } catch { refused++ } }
      ${call}
      return [refused === tries.length, answer]`,
    returns: [true, genuine],
    inputs: oneCall,
  },
  {
    title: "shadows tools with its own",
    source:
      "{ const tools = { files: { read: () => ({ ok: true, value: 'forged' }) } }; return tools.files.read() }",
    returns: { ok: true, value: "forged" },
  },
  {
    title: "forges results with its own promise",
    source:
      "globalThis.Promise = class { constructor() { throw 1 } }; Promise.resolve = () => 'forged'; " +
      call +
      " return answer",
    returns: genuine,
    inputs: oneCall,
  },
  {
    title: "forges results in JSON.parse",
    source: `JSON.parse = () => ({ ok: true, value: "forged" }); JSON.stringify = () => '{"path":"forged"}'; ${call} return answer`,
    returns: genuine,
    inputs: oneCall,
  },
  {
    title: "overwrites then",
    source: `Promise.prototype.then = function () { return "forged" }; ${call} return answer`,
    returns: genuine,
    inputs: oneCall,
  },
  {
    title: "makes every object a thenable",
    source: `Object.prototype.then = function () {}; ${call} return answer`,
    ends: "program.stuck",
    inputs: oneCall,
  },
  {
    title: "puts a setter where results are kept",
    source: `
      const caught = [];
      for (const key of [0, 1, "0", "ok", "run", "settle"])
        Object.defineProperty(Object.prototype, key, { set(v) { caught.push(String(v)) }, get() { return undefined }, configurable: true });
      ${call}
      for (const key of [0, 1, "ok", "run", "settle"]) delete Object.prototype[key];
      return [caught, answer.value.n]`,
    returns: [[], 0],
    inputs: oneCall,
  },
  {
    title: "overwrites the intrinsics of Object and Array",
    source: `for (const name of ["create", "defineProperty", "freeze", "keys", "getPrototypeOf"]) Object[name] = () => { throw 1 };
      Array.prototype.push = Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 1 }; ${call} return answer`,
    returns: genuine,
    inputs: oneCall,
  },
  {
    title: "gives every object a toJSON",
    source: `Object.prototype.toJSON = function () { return { path: "mine" } }; ${call} delete Object.prototype.toJSON; return answer`,
    returns: genuine,
    inputs: [{ path: "mine" }],
  },
  {
    title: "hands in a thenable",
    source: "return await tools.files.read({ path: 'a', then(resolve) { resolve('forged') } })",
    returns: genuine,
    inputs: oneCall,
  },
  {
    title: "changes the constructor of the promise of a call",
    source: `const p = tools.files.read({ path: "a" }); p.constructor = { [Symbol.species]: function (f) { f(() => {}, () => {}) } };
      p.then = (resolve) => resolve("forged"); return [await Promise.prototype.then.call(p, (v) => v) ?? null]`,
    returns: [{}],
    inputs: oneCall,
  },
  {
    title: "resolves with a promise that resolves with itself",
    source: "let r; const p = new Promise((x) => (r = x)); r(p); await p",
    ends: "program.threw",
  },
  {
    title: "puts a proxy behind the global object",
    source: `Object.setPrototypeOf(globalThis, new Proxy({}, { has: () => true, get: (_, k) => typeof k === "string" ? () => "forged " + k : undefined }));
      return process()`,
    returns: "forged process",
  },
  {
    title: "sets clock and chance",
    source:
      "Date.now = () => 0; Math.random = () => 4; performance.now; return [Date.now(), Math.random(), new Date().getTime() > 0]",
    returns: [0, 4, true],
  },
  // ── inputs made to confuse ────────────────────────────────────────────────────────
  {
    title: "hands in a getter that throws",
    source: "await tools.files.read({ get path() { throw new Error('boom') } })",
    ends: "program.threw",
  },
  {
    title: "hands in a toJSON that throws",
    source: "await tools.files.read({ toJSON() { throw 1 } })",
    ends: "program.threw",
  },
  {
    title: "hands in a toJSON that loops",
    source: "await tools.files.read({ toJSON() { for (;;); } })",
    ends: "program.cpu_limit",
  },
  {
    title: "hands in a circle",
    source: "const a = {}; a.a = a; await tools.files.read(a)",
    ends: "program.threw",
  },
  { title: "hands in a BigInt", source: "await tools.files.read({ path: 1n })", ends: "program.threw" },
  { title: "hands in a function", source: "await tools.files.read(() => 1)", ends: "program.threw" },
  { title: "hands in a symbol", source: "await tools.files.read(Symbol('x'))", ends: "program.threw" },
  {
    title: "hands in a proxy without end",
    source:
      "await tools.files.read(new Proxy([], { get: (_, k) => k === 'length' ? 2 ** 32 : 'x'.repeat(100) }))",
    ends: ["program.cpu_limit", "program.memory_limit", "program.threw"],
  },
  {
    title: "hands in a proxy that grows as it is read",
    source:
      "const grow = () => new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => k === 'a' ? grow() : undefined }); await tools.files.read(grow())",
    ends: ["program.threw", "program.stack_limit", "program.cpu_limit"],
  },
  {
    title: "hands in __proto__ and constructor as keys",
    source: `return await tools.files.read(JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'))`,
    returns: genuine,
    inputs: [JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')],
  },
  {
    title: "hands in half a surrogate pair",
    source: "await tools.files.read({ path: 'a\\ud800' })",
    ends: "program.threw",
  },
  {
    title: "hands in half a surrogate pair as a key",
    source: "await tools.files.read({ ['\\udc00']: 1 })",
    ends: "program.threw",
  },
  {
    title: "hands in whole pairs, backslashes and line breaks",
    source: "return await tools.files.read({ path: '\\ud83d\\ude00 \\\\\\\\ud800 \\n \\u2028 \\0' })",
    returns: genuine,
    inputs: [{ path: "😀 \\\\ud800 \n \u2028 \0" }],
  },
  {
    title: "hands in too deep a nest",
    source: "let a = []; for (let i = 0; i < 500; i++) a = [a]; await tools.files.read(a)",
    ends: "program.argument_limit",
  },
  {
    title: "hands in a nest without end",
    source: "let a = []; for (let i = 0; i < 20000; i++) a = [a]; await tools.files.read(a)",
    ends: ["program.stack_limit", "program.threw", "program.unresponsive", "program.argument_limit"],
  },
  {
    title: "hands in too much",
    source: "await tools.files.read({ path: 'x'.repeat(2 ** 20) })",
    ends: "program.argument_limit",
  },
  {
    title: "hands in too many bytes in few characters",
    source: "await tools.files.read({ path: '€'.repeat(400000) })",
    ends: "program.argument_limit",
  },
  {
    title: "catches a limit and calls again",
    source:
      "try { await tools.files.read({ path: 'x'.repeat(2 ** 20) }) } catch {} finally { await tools.files.write({}) }",
    ends: "program.argument_limit",
  },
  {
    title: "hands in holes, NaN and dates",
    source: "return await tools.files.read([, NaN, -0, Infinity, new Date(0), undefined])",
    returns: genuine,
    inputs: [[null, null, 0, null, "1970-01-01T00:00:00.000Z", null]],
  },
  {
    title: "sleeps for ever, for less than nothing, for no number",
    source:
      "await Promise.all([sleep(Infinity), sleep(-1), sleep(NaN), sleep('x'), sleep({ valueOf: () => 5 })]); return 1",
    returns: 1,
    inputs: [2592000000, 0, 0, 0, 5],
  },
  {
    title: "sleeps for something that throws",
    source: "await sleep({ valueOf() { throw new Error('no') } })",
    ends: "program.threw",
  },
  // ── never ending ──────────────────────────────────────────────────────────────────
  { title: "loops", source: "for (;;);", ends: "program.cpu_limit" },
  {
    title: "loops with labels",
    source: "a: for (;;) { b: for (;;) { continue a } }",
    ends: "program.cpu_limit",
  },
  { title: "loops after an await", source: "await null; while (true) {}", ends: "program.cpu_limit" },
  {
    title: "loops after a call",
    source: `${call} while (true) {}`,
    ends: "program.cpu_limit",
    inputs: oneCall,
  },
  {
    title: "loops in catch and finally",
    source: "const spin = () => { try { for (;;); } catch { spin() } finally { spin() } }; spin()",
    ends: "program.cpu_limit",
  },
  {
    title: "catches the end of its time and calls",
    source: "try { for (;;); } catch { await tools.files.write({}) } finally { tools.files.write({}) }",
    ends: "program.cpu_limit",
  },
  {
    title: "catches it in a promise",
    source: "await new Promise(() => { for (;;); }).catch(() => tools.files.write({}))",
    ends: "program.cpu_limit",
  },
  {
    title: "queues microtasks for ever",
    source: "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})",
    ends: ["program.cpu_limit", "program.memory_limit"],
  },
  {
    title: "doubles its microtasks",
    source: "const f = () => { queueMicrotask(f); queueMicrotask(f) }; f(); await new Promise(() => {})",
    ends: ["program.cpu_limit", "program.memory_limit"],
  },
  {
    title: "throws in every microtask",
    source: "const f = () => { queueMicrotask(f); throw new Error('x') }; f()",
    ends: ["program.cpu_limit", "program.threw"],
  },
  {
    title: "throws in microtasks for ever",
    source:
      "const f = () => { queueMicrotask(f); throw new Error('x') }; queueMicrotask(f); await new Promise(() => {})",
    ends: "program.cpu_limit",
  },
  { title: "awaits in an endless loop", source: "for (;;) await null", ends: "program.cpu_limit" },
  {
    title: "iterates a generator without end",
    source: "for (const x of (function* () { for (;;) yield 1 })());",
    ends: "program.cpu_limit",
  },
  {
    title: "will not let a generator return",
    source:
      "const g = (function* () { for (;;) { try { yield 1 } finally { continue } } })(); for (let i = 0; ; i++) g.return()",
    ends: "program.cpu_limit",
  },
  {
    title: "iterates an async generator without end",
    source: "for await (const x of (async function* () { for (;;) yield 1 })());",
    ends: "program.cpu_limit",
  },
  {
    title: "reads an endless iterable into a list",
    source: "[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }]",
    ends: ["program.cpu_limit", "program.memory_limit"],
  },
  {
    title: "recurses",
    source: "const f = () => f() + 1; f()",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "recurses again wherever it is stopped",
    source: "const f = () => { try { f() } finally { f() } }; f()",
    ends: "program.cpu_limit",
  },
  {
    title: "recurses through a getter",
    source: "const o = { get a() { return this.a } }; o.a",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "recurses through conversions",
    source: "const o = { toString() { return '' + this } }; '' + o",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "recurses through proxies",
    source: "let p = {}; for (let i = 0; i < 20000; i++) p = new Proxy(p, {}); p.x",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "recurses through bound functions",
    source: "let f = () => 1; for (let i = 0; i < 50000; i++) f = f.bind(null); f()",
    ends: ["program.threw", "program.stack_limit", "program.memory_limit"],
  },
  {
    title: "recurses in sort",
    source: "const f = () => [2, 1].sort(f); f()",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "sorts with a comparator that never says the same",
    source: "let n = 0; Array.from({ length: 2e5 }, (_, i) => i).sort(() => (n++ % 3) - 1)",
    ends: ["program.cpu_limit", "program.memory_limit"],
  },
  {
    title: "empties a list while it is sorted",
    source:
      "const a = Array.from({ length: 2000 }, (_, i) => -i); a.sort((x, y) => { a.length = 0; return x - y }); return a.length",
    returns: 2000,
  },
  {
    title: "gives a regular expression no way to end",
    source: "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    ends: "program.cpu_limit",
  },
  {
    title: "writes a regular expression that is too large",
    source: "new RegExp('(?:a{1,60000}){1,60000}b').test('a'.repeat(5000))",
    ends: ["program.cpu_limit", "program.threw", "program.memory_limit"],
  },
  {
    title: "nests a regular expression",
    source: "new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "looks behind for ever",
    source: "/(?<=(a|aa)+)b/.test('a'.repeat(60) + 'c'.repeat(60)); /(a|aa)+c/.test('a'.repeat(60))",
    ends: "program.cpu_limit",
  },
  {
    title: "sends JSON without end through JSON",
    source: "let a = ['x'.repeat(1000)]; for (let i = 0; i < 50; i++) a = [a, a]; JSON.stringify(a)",
    ends: ["program.cpu_limit", "program.memory_limit", "program.threw", "program.unresponsive"],
  },
  {
    title: "parses a nest",
    source: "JSON.parse('['.repeat(1e6))",
    ends: ["program.threw", "program.stack_limit"],
  },
  {
    title: "revives JSON for ever",
    source: "JSON.parse('[1]', function (k, v) { if (k === '0') for (;;); return v })",
    ends: "program.cpu_limit",
  },
  // ── too much of everything ────────────────────────────────────────────────────────
  { title: "doubles a text", source: "let s = 'x'; for (;;) s += s", ends: memory },
  {
    title: "doubles a text and catches",
    source: "let s = 'x'; for (;;) { try { s += s } catch {} }",
    ends: ["program.memory_limit", "program.cpu_limit"],
  },
  { title: "repeats a text", source: "'x'.repeat(2 ** 29)", ends: memory },
  { title: "pads a text", source: "'x'.padEnd(2 ** 30)", ends: memory },
  {
    title: "joins holes",
    source: "new Array(2 ** 31).join('x'.repeat(1000))",
    ends: ["program.memory_limit", "program.threw", "program.cpu_limit", "program.unresponsive"],
  },
  {
    title: "fills a list that is too long",
    source: "new Array(2 ** 32 - 1).fill(0)",
    ends: ["program.cpu_limit", "program.memory_limit", "program.threw"],
  },
  {
    title: "keeps everything",
    source: "const a = []; for (;;) a.push({ a: [1, 2, 3] })",
    ends: ["program.memory_limit", "program.cpu_limit", "program.threw"],
  },
  {
    title: "keeps everything and catches",
    source: "const a = []; for (;;) { try { a.push('x'.repeat(1e5) + a.length) } catch { a.push(1) } }",
    ends: ["program.memory_limit", "program.cpu_limit"],
  },
  {
    title: "keeps everything in a map",
    source: "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })",
    ends: ["program.memory_limit", "program.cpu_limit", "program.threw"],
  },
  {
    title: "raises a BigInt",
    source: "2n ** (2n ** 40n)",
    ends: ["program.threw", "program.memory_limit", "program.cpu_limit"],
  },
  {
    title: "multiplies a BigInt",
    source: "let n = 3n; for (;;) n *= n",
    ends: ["program.threw", "program.memory_limit", "program.cpu_limit"],
  },
  { title: "asks for a huge buffer", source: "new ArrayBuffer(2 ** 40)", ends: memory },
  {
    title: "grows a buffer",
    source: "const b = new ArrayBuffer(1, { maxByteLength: 2 ** 30 }); b.resize(2 ** 30)",
    ends: memory,
  },
  {
    title: "shrinks a buffer under a typed array that is being filled",
    source:
      "const b = new ArrayBuffer(1e5, { maxByteLength: 1e6 }); const a = new Uint8Array(b); a.fill({ valueOf() { b.resize(1); return 7 } }); return a.length",
    returns: 1,
  },
  {
    title: "takes a buffer away while it is sorted, copied and set",
    source: `const b = new ArrayBuffer(8e3); const a = new Float64Array(b); try { a.sort(() => { b.transfer(0); return 1 }) } catch {}
      const c = new ArrayBuffer(64, { maxByteLength: 128 }); const d = new Uint8Array(c); try { d.set({ length: 64, get 0() { c.resize(0); return 1 }, 63: 9 }) } catch {}
      try { d.copyWithin({ valueOf() { c.resize(0); return 0 } }, 1, 60) } catch {} try { new DataView(c, 0).setFloat64(60, 1) } catch {}
      return [a.length, d.length]`,
    returns: [0, 0],
  },
  {
    title: "normalizes a text of marks",
    source: "return '\\u0344'.repeat(2e5).normalize('NFD').length",
    returns: 400000,
  },
  {
    title: "clones a nest",
    source: "let a = []; for (let i = 0; i < 50000; i++) a = [a]; structuredClone(a)",
    ends: ["program.threw", "program.stack_limit", "program.engine_fault", "program.unresponsive"],
  },
  { title: "clones what cannot be cloned", source: "structuredClone({ f() {} })", ends: "program.threw" },
  {
    title: "reads a URL that is too long",
    source: "new URL('http://' + 'a.'.repeat(2e6)); return 1",
    returns: 1,
  },
  {
    title: "decodes what is no text",
    source:
      "return [new TextDecoder().decode(new Uint8Array([255, 254, 237, 160, 128])).length > 0, (() => { try { return atob('*') } catch { return 'no' } })()]",
    returns: [true, "no"],
  },
  {
    title: "writes too many lines",
    source: "for (let i = 0; i < 2000; i++) console.log(i); return 1",
    returns: 1,
  },
  {
    title: "writes lines that cannot be shown",
    source:
      "console.log(Symbol('x'), { toJSON() { throw 1 } }, new Proxy({}, { get() { throw 2 } }), 1n, Object.create(null), undefined, () => 1); return 1",
    returns: 1,
  },
  {
    title: "makes too many calls",
    source: "for (;;) { try { await tools.files.read({}) } catch {} }",
    ends: "program.calls_limit",
    inputs: Array.from({ length: 20 }, () => ({})),
  },
  {
    title: "makes too many calls at once",
    source: "await Promise.all(Array.from({ length: 1000 }, () => tools.files.read({}).catch(() => 1)))",
    ends: "program.calls_limit",
    inputs: [{}, {}, {}, {}],
  },
  // ── odd endings ───────────────────────────────────────────────────────────────────
  { title: "waits for nothing", source: "await new Promise(() => {})", ends: "program.stuck" },
  { title: "returns a thenable that never answers", source: "return { then() {} }", ends: "program.stuck" },
  {
    title: "returns something whose JSON throws",
    source: "return { toJSON() { throw new Error('no') } }",
    ends: "program.bad_output",
  },
  { title: "returns a BigInt", source: "return 1n", ends: "program.bad_output" },
  { title: "returns a function", source: "return () => 1", returns: undefined },
  { title: "returns too much", source: "return 'x'.repeat(2e6)", ends: "program.output_limit" },
  { title: "returns half a surrogate pair", source: "return '\\ud800'", returns: "\ud800" },
  { title: "throws nothing", source: "throw undefined", ends: "program.threw" },
  { title: "throws a symbol", source: "throw Symbol('x')", ends: "program.threw" },
  {
    title: "throws a proxy that throws",
    source: "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
    ends: "program.threw",
  },
  {
    title: "throws an error whose message loops",
    source: "throw { get message() { for (;;); } }",
    ends: "program.cpu_limit",
  },
  {
    title: "throws a message that is too long",
    source: "throw new Error('x'.repeat(1e6))",
    ends: "program.threw",
  },
  {
    title: "throws what looks like a limit",
    source: "throw Object.assign(new Error('fake'), { name: 'program.stopped' })",
    ends: "program.threw",
  },
  {
    title: "leaves a rejection behind",
    source: "Promise.reject(new Error('left')); return 1",
    ends: "program.unhandled_rejection",
  },
  {
    title: "leaves a rejection with a getter behind",
    source: "Promise.reject({ get message() { for (;;); } }); return 1",
    ends: "program.unhandled_rejection",
  },
  { title: "is no program", source: "]]]", ends: "program.syntax" },
  { title: "is a comment that does not end", source: "/*", ends: "program.syntax" },
  { title: "is nothing", source: "", returns: undefined },
];
