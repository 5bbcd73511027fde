/**
 * The bootstrap of a process for the owner's tools. The gateway sends it all the code there is, its
 * own and the user's, as it was read at one moment: so nothing of the user's folder has to be
 * readable here, and a version that a run began with can be had again after the file changed.
 *
 * A tool may import `@elwood/sdk/tool`, `zod`, files of its own folder, and a few modules of
 * Node that reach nothing.
 */
import { registerHooks } from "node:module";
import { Socket } from "node:net";

const SOCKET_FD = 3;
const LENGTH_BYTES = 4;
const HARMLESS = [
  "assert",
  "assert/strict",
  "buffer",
  "crypto",
  "events",
  "path",
  "querystring",
  "string_decoder",
  "timers/promises",
  "url",
  "util",
  "zlib",
];

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
  const text = bytes.toString("utf8", LENGTH_BYTES, end);
  void start(JSON.parse(text.slice(text.indexOf("\n") + 1)));
}

/** @param {import("./host-code.ts").HostCode} code */
async function start(code) {
  const { entry, modules, aliases, zod, files, mode } = code;
  const builtins = mode === "test" ? [...HARMLESS, "test"] : HARMLESS;
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      const users = parentURL?.startsWith("tool:") === true;
      if (specifier === "zod") return { url: zod, format: "module", shortCircuit: true };
      if (!users || specifier === "@elwood/sdk/tool") {
        const url = aliases[specifier] ?? URL.parse(specifier, parentURL)?.href ?? "";
        if (url in modules) return { url, format: "module", shortCircuit: true };
        if (url in files) return { url, format: formatOf(url), shortCircuit: true };
        return next(specifier, context);
      }
      if (/^\.\.?\//.test(specifier)) {
        const url = URL.parse(specifier, parentURL)?.href ?? "";
        if (url in files) return { url, format: formatOf(url), shortCircuit: true };
        throw refused(
          parentURL,
          specifier,
          "there is no such file in the tool's folder. Write its whole name, such as ./client.ts",
        );
      }
      if (builtins.includes(specifier.replace(/^node:/, ""))) return next(specifier, context);
      throw refused(
        parentURL,
        specifier,
        `a tool imports @elwood/sdk/tool, zod, files of its own folder, and of Node ${builtins.map((name) => `node:${name}`).join(", ")}. For the web there is ctx.fetch`,
      );
    },
    load(url, context, next) {
      const own = modules[url];
      if (own !== undefined) return { format: "module", source: own, shortCircuit: true };
      const source = files[url];
      return source === undefined
        ? next(url, context)
        : { format: formatOf(url), source, shortCircuit: true };
    },
  });

  /**
   * @param {string} importer
   * @param {string} specifier
   * @param {string} why
   */
  function refused(importer, specifier, why) {
    const lines = (files[importer] ?? "").split("\n");
    const line =
      lines.findIndex((each) => each.includes(`"${specifier}"`) || each.includes(`'${specifier}'`)) + 1;
    const error = new Error(`"${specifier}" cannot be imported: ${why}.`);
    error.stack = `${importer}:${Math.max(line, 1)}\n${error.message}`;
    return error;
  }

  /** @type {{ serve(socket: Socket, code: object): Promise<void> }} */
  const host = await import(entry);
  await host.serve(socket, { files: Object.keys(files), mode });
}

/**
 * Plain JavaScript is read as TypeScript too: then its mistakes are told with their line.
 * @param {string} url
 */
function formatOf(url) {
  return url.endsWith(".json") ? "json" : "module-typescript";
}
