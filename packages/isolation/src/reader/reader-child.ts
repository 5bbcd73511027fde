/**
 * The process in which documents are read. It can read its own code and nothing else, write and start nothing,
 * and has an empty environment. It is ended from outside where it takes too long or too much memory.
 */
import { Socket } from "node:net";
import { readDocument } from "@elwood/sdk/documents/read-document";
import { Unreadable } from "@elwood/sdk/documents/unreadable";
import { encodeFrame, FrameReader } from "../quickjs/frames.ts";
import { SOCKET_FD, type FromReader, type ToReader } from "./wire.ts";

const socket = new Socket({ fd: SOCKET_FD, readable: true, writable: true });
// What the gateway sends is the gateway's own, and within its limits.
const frames = new FrameReader(() => Number.MAX_SAFE_INTEGER);

function say(head: FromReader, body = ""): void {
  socket.write(encodeFrame(head, body));
}

socket.on("data", (chunk: Buffer) => {
  for (const { head, body } of frames.push(chunk)) void answer(head as unknown as ToReader, body);
});
socket.on("close", () => process.exit());

async function answer({ n, name, textCharsMax, pdfPagesMax, unpackedBytesMax }: ToReader, body: string) {
  try {
    // Of its own: readers hand the bytes on as they are.
    const bytes = new Uint8Array(Buffer.from(body, "base64"));
    const read = await readDocument({ bytes, name, textCharsMax, pdfPagesMax, unpackedBytesMax });
    say({ t: "text", n }, JSON.stringify(read));
  } catch (error) {
    const why = error instanceof Unreadable ? error.why : "damaged";
    say({ t: "unreadable", n, why }, error instanceof Error ? error.message : "unknown");
  }
}

say({ t: "ready" });
