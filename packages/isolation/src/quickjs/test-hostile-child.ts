/** In the place of a sandbox process, for tests: it says what its seed tells it to, honest or not. */
import type { Socket } from "node:net";
import { encodeFrame, FrameReader } from "./frames.ts";

export function serve(socket: Socket): void {
  const reader = new FrameReader(() => 2 ** 26);
  socket.on("data", (chunk: Buffer) => {
    for (const { head, body } of reader.push(chunk)) {
      if (head["t"] === "start") act(socket, body, Number(head["p"]));
    }
  });
  socket.on("close", () => process.exit(0));
  socket.write(encodeFrame({ t: "ready" }));
  socket.resume();
}

/** The source of a program here is a list of frames: [head, body]; `p` is filled in. "raw" sends bytes as they are. */
function act(socket: Socket, source: string, p: number): void {
  for (const [head, body] of JSON.parse(source) as [Record<string, unknown> | string, string?][]) {
    if (head === "raw") socket.write(Buffer.from(body ?? "", "hex"));
    else if (head === "exit") process.exit(7);
    else socket.write(encodeFrame({ p, ...(head as Record<string, unknown>) }, body));
  }
}
