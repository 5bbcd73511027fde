import { LIMITS } from "@elwood/core/base/limits";
import type { Block } from "@elwood/core/message/message";
import { said } from "@elwood/testkit/contract-request";
import { expect, test } from "vitest";
import { loadBlobs } from "./attachments.ts";

const image = (blobId: string): Block => ({ type: "image", mime: "image/png", blobId });

test("the newest pictures are sent and the oldest left out, once it is too much", async () => {
  const half = new Uint8Array(LIMITS.modelBlobBytesMax / 2);
  const asked: string[] = [];
  const messages = ["old", "middle", "new"].map((id) => said("user", image(id)));
  const blobs = await loadBlobs(messages, async (id) => {
    asked.push(id);
    return half;
  });
  expect(asked).toEqual(["new", "middle"]);
  expect(blobs.get("new")).toBe(half);
  expect(blobs.get("old")).toBe("left-out");
});

test("a picture used twice is read once, and one that is gone is known to be", async () => {
  let reads = 0;
  const result: Block = {
    type: "tool_result",
    callId: "c",
    status: "ok",
    text: "",
    images: [{ mime: "image/png", blobId: "a" }],
  };
  const blobs = await loadBlobs(
    [said("user", image("a"), image("gone")), said("tool", result)],
    async (id) => {
      reads += 1;
      return id === "a" ? new Uint8Array(3) : undefined;
    },
  );
  expect(reads).toBe(2);
  expect(blobs.get("gone")).toBe("gone");
});
