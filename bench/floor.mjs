// The floor for "start": what any Node program that serves HTTP over a SQLite file must pay.
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";

const [port, file] = process.argv.slice(2);
const db = new DatabaseSync(file ?? ":memory:");
db.exec(
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT) STRICT",
);
createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"status":"ready"}\n');
}).listen(Number(port), "127.0.0.1");
