import { expect, test } from "vitest";
import { convertLocomo } from "./convert-locomo.ts";

test("turns keep their date, speaker and picture, and questions the turns that answer them", () => {
  const lines = convertLocomo([
    {
      sample_id: "conv-1",
      conversation: {
        speaker_a: "Ann",
        session_2_date_time: "12:05 am on 1 June, 2023",
        session_2: [{ speaker: "Ben", dia_id: "D2:1", text: "Hi", blip_caption: "a boat" }],
        session_1_date_time: "1:56 pm on 8 May, 2023",
        session_1: [{ speaker: "Ann", dia_id: "D1:1", text: "Hello" }],
      },
      qa: [
        { question: "Who?", answer: "Ann", evidence: ["D1:1; D:2:01", "D9:9"], category: 1 },
        { question: "Nowhere?", answer: "", evidence: ["D9:9"], category: 4 },
      ],
    },
  ]);
  expect(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      type: "turn",
      conv: "conv-1",
      session: 1,
      date: "2023-05-08T13:56",
      id: "D1:1",
      speaker: "Ann",
      text: "Hello",
    },
    {
      type: "turn",
      conv: "conv-1",
      session: 2,
      date: "2023-06-01T00:05",
      id: "D2:1",
      speaker: "Ben",
      text: "Hi",
      caption: "a boat",
    },
    {
      type: "question",
      conv: "conv-1",
      qid: "conv-1-q0",
      category: 1,
      question: "Who?",
      answer: "Ann",
      evidence: ["D1:1", "D2:1"],
    },
  ]);
});
