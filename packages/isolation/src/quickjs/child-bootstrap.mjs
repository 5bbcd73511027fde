/**
 * The bootstrap of a sandbox process. The gateway sends it the code it is to run, types already
 * stripped: so the process need not load a compiler of its own, which would cost it more
 * memory than all the rest, and there is nothing for it to read but the engine.
 */
import { registerHooks } from "node:module";
import { Socket } from "node:net";

const SOCKET_FD = 3;
const LENGTH_BYTES = 4;

const socket = new Socket({ fd: SOCKET_FD, readable: true, writable: true });
/** @type {Buffer[]} */
const chunks = [];
socket.on("data", receive);

/** @param {Buffer} chunk */
function receive(chunk) {
  chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length < LENGTH_BYTES) return;
  const end = LENGTH_BYTES + bytes.readUInt32BE(0);
  if (bytes.length < end) return;
  socket.off("data", receive);
  socket.pause();
  if (bytes.length > end) socket.unshift(bytes.subarray(end));
  const [, body = ""] = bytes.toString("utf8", LENGTH_BYTES, end).split("\n", 2);
  void start(JSON.parse(body));
}

/** @param {import("./child-code.ts").ChildCode} code */
async function start({ engine, entry, modules }) {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "quickjs-wasi") return { url: engine, format: "module", shortCircuit: true };
      const url = URL.parse(specifier, context.parentURL)?.href ?? "";
      return url in modules ? { url, format: "module", shortCircuit: true } : next(specifier, context);
    },
    load(url, context, next) {
      const source = modules[url];
      return source === undefined ? next(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
  /** @type {{ serve: (socket: Socket, engine: string) => void }} */
  const { serve } = await import(entry);
  serve(socket, engine);
}
