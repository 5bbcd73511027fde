// The floor for "api": a proxy that hands a request to the model, and commits one row for it before it answers.
import { Agent, createServer, request as ask } from "node:http";
import { DatabaseSync } from "node:sqlite";

const [port, file, model] = process.argv.slice(2);
const db = new DatabaseSync(file ?? ":memory:");
db.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, bytes INTEGER) STRICT",
);
const row = db.prepare("INSERT INTO t (at, bytes) VALUES (?, ?)");
const agent = new Agent({ keepAlive: true });
createServer((request, response) => {
  if (request.method === "GET") {
    response.end("ready");
    return;
  }
  /** @type {Buffer[]} */
  const asked = [];
  request.on("data", (piece) => asked.push(piece));
  request.on("end", () => {
    const headers = { "content-type": "application/json" };
    const onward = ask(`${model}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      /** @type {Buffer[]} */
      const pieces = [];
      answer.on("data", (piece) => pieces.push(piece));
      answer.on("end", () => {
        const body = Buffer.concat(pieces);
        row.run(Date.now(), body.length);
        response.writeHead(answer.statusCode ?? 502, { "content-type": answer.headers["content-type"] });
        response.end(body);
      });
    });
    onward.end(Buffer.concat(asked));
  });
}).listen(Number(port), "127.0.0.1");
