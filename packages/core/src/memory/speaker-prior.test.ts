import { describe, expect, test } from "vitest";
import { speakerPrior } from "./speaker-prior.ts";
import type { TurnRole } from "./turn.ts";

const SPEAKERS = ["you", "Elwood", "Melanie", "Anna Berg"];
const turn = (role: TurnRole, speaker: string) => ({ role, speaker });
const OWNER = turn("user", "you");
const ASSISTANT = turn("assistant", "Elwood");
const NOTE = turn("note", "you");

describe("who is asked about", () => {
  test.each([
    ["Where did I park the car?", "owner"],
    ["What is my sister's name?", "owner"],
    ["What did I tell you about the boat?", "owner"],
    ["Wie heißt meine Schwester?", "owner"],
    ["What did you tell me about the visa?", "assistant"],
    ["Which restaurant have you recommended to me?", "assistant"],
    ["What was your advice on my taxes?", "assistant"],
    ["Was hast du mir empfohlen?", "assistant"],
    ["What did Elwood say?", "assistant"],
    ["Which wine goes with fish?", "nobody"],
  ])("%s: %s", (question, who) => {
    const prior = speakerPrior(question, SPEAKERS);
    expect([prior.of(OWNER), prior.of(ASSISTANT)]).toEqual([
      who === "owner" ? 1 : 0,
      who === "assistant" ? 1 : 0,
    ]);
  });

  test("what is noted counts as the owner's", () => {
    expect(speakerPrior("What is my blood type?", SPEAKERS).of(NOTE)).toBe(1);
  });

  test("a named speaker goes before I and you, also by a short name, and is not looked for as a word", () => {
    for (const [question, word] of [
      ["What did Melanie tell you?", "melanie"],
      ["What did Mel tell me?", "mel"],
      ["What is Anna's job?", "anna"],
    ] as const) {
      const prior = speakerPrior(question, SPEAKERS);
      expect([...prior.nameWords]).toEqual([word]);
      expect(prior.of(turn("user", word === "anna" ? "Anna Berg" : "Melanie"))).toBe(1);
      expect(prior.of(OWNER)).toBe(0);
    }
  });

  test("of two that are named the first counts for something, and two together for nothing", () => {
    const shown = speakerPrior("What did Melanie show to Anna?", SPEAKERS);
    expect(shown.of(turn("user", "Melanie"))).toBeGreaterThan(0);
    expect(shown.of(turn("user", "Melanie"))).toBeLessThan(1);
    expect(shown.of(turn("user", "Anna Berg"))).toBe(0);
    expect(speakerPrior("What do Melanie and Anna both like?", SPEAKERS).of(turn("user", "Melanie"))).toBe(0);
  });

  test("small words do not name anybody by the beginning of a name", () => {
    expect(speakerPrior("an ann el", SPEAKERS).nameWords.size).toBe(0);
  });
});
