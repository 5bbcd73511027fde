import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import type { Resolve } from "../../src/web/guarded-dialer.ts";

/** A name server on this machine, such as an attacker runs for a domain: it notes every name it is asked for. */
export interface DnsServer extends AsyncDisposable {
  readonly names: readonly string[];
  /** Looks names up here, by the real protocol. */
  readonly resolve: Resolve;
}

/** Every name leads to `address`. */
export async function startDnsServer(address: string): Promise<DnsServer> {
  const names: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const { name, end } = readName(query);
    names.push(name);
    socket.send(answerTo(query, end, address), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    names,
    resolve: (name) => resolver.resolve4(name),
    async [Symbol.asyncDispose]() {
      resolver.cancel();
      socket.close();
      await once(socket, "close");
    },
  };
}

const HEADER_BYTES = 12;

function readName(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  // The empty label, then the type and the class of the question.
  return { name: labels.join("."), end: at + 5 };
}

function answerTo(query: Buffer, end: number, address: string): Buffer {
  const head = Buffer.from(query.subarray(0, HEADER_BYTES));
  head.writeUInt16BE(0x81_80, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(1, 6);
  head.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]);
  return Buffer.concat([head, query.subarray(HEADER_BYTES, end), record]);
}
