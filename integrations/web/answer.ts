import { ToolError } from "@elwood/sdk/tool";

/** Reads at most `bytesMax`; what is beyond is not fetched. */
export async function readAtMost(
  response: Response,
  bytesMax: number,
): Promise<{ bytes: Uint8Array; cut: boolean }> {
  if (response.body === null) return { bytes: new Uint8Array(), cut: false };
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: Buffer.concat(chunks), cut: false };
    const room = bytesMax - size;
    chunks.push(value.subarray(0, room));
    size += value.length;
    if (size > bytesMax) {
      await reader.cancel();
      return { bytes: Buffer.concat(chunks), cut: true };
    }
  }
}

/**
 * Asking a site for something changes nothing there, so an answer that did not come is a call
 * that failed. Everything else that is thrown stays what it is.
 */
export async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Error) || cause.name !== "AnswerBroken") throw cause;
    throw new ToolError("no_answer", `${cause.message} The request was sent, and nothing came of it.`, {
      retryable: true,
    });
  }
}
