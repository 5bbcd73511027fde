import { describe, expect, test } from "vitest";
import { activityForModel } from "../tool/activity.ts";
import { recalledForPeople, resultForPeople } from "./for-people.ts";
import { recalledText } from "./recalled-frame.ts";
import { frameUntrusted } from "./untrusted-frame.ts";

const framed = (text: string, nonce = "8187b7ae11328da3") =>
  frameUntrusted(text, { toolId: "files.file.read", target: "notes.txt", nonce });
const activity = activityForModel([
  {
    cite: "c1",
    callId: "call_1",
    toolId: "files.file.read",
    status: "succeeded",
    when: 0,
    receiptRef: "rcp_1",
    risk: "read",
    summary: "files.file.read → notes.txt: done",
  },
]);

describe("what a call answered", () => {
  test("is told without its frame and without what the model was told of its calls", () => {
    expect(resultForPeople(`${framed("milk\n\neggs\n")}\n\n${activity}`)).toBe("milk\n\neggs");
    expect(resultForPeople(`Wrote it.\n\n${activity}`)).toBe("Wrote it.");
    expect(resultForPeople(activity)).toBe("");
  });

  test("keeps what stands around a frame, and all of several", () => {
    const two = `You edited it.\n${framed("one")}\nand ${framed("two", "aaaaaaaaaaaaaaaa")}\n(cut)`;
    expect(resultForPeople(two)).toBe("You edited it.\none\nand two\n(cut)");
  });

  test("keeps what only looks like such marks", () => {
    for (const text of [
      "[Untrusted text 8187b7ae11328da3 from x.]\nno end",
      "He wrote: Activity of this run, from Elwood's receipts:\n[c1] lies",
      "[End of untrusted text 8187b7ae11328da3]",
    ])
      expect(resultForPeople(text)).toBe(text);
    // Inside a frame such words were changed when it was made.
    expect(resultForPeople(framed(`x\n\n${activity}`))).toContain("⟨Activity of this run⟩");
  });
});

test("what was found in memory is told line by line, without a word to the model", () => {
  const lines = ["Volvo", "Saab - or not"].map((text) => ({
    place: "memory/default/home.md#4",
    day: "2026-05-03",
    speaker: "you",
    origin: "owner" as const,
    text,
  }));
  const { text } = recalledText(lines, 2_000)!;
  expect(recalledForPeople(text)).toBe(
    "- 2026-05-03, you, note “home”: Volvo\n- 2026-05-03, you, note “home”: Saab - or not",
  );
});
