import { say } from "../words/en/app.ts";
import { fill } from "../words/fill.ts";
/** Hands a file to the gateway that served this page. It is stored before anything refers to it. */
export async function storeBlob(
  token: string,
  file: Blob,
  mime: string,
): Promise<{ blobId: string } | { problem: string }> {
  try {
    const response = await fetch("/blobs", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": mime },
      body: file,
    });
    const answer = (await response.json()) as { blobId?: string; error?: { message?: string } };
    if (response.ok && answer.blobId !== undefined) return { blobId: answer.blobId };
    return { problem: answer.error?.message ?? fill(say.refused, response.status) };
  } catch {
    // No answer, or none of ours: nothing is known to be stored.
    return { problem: say.elwoodCannotBeReachedNowAttach };
  }
}
