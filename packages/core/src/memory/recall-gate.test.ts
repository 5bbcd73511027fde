import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isAboutSomething, nearBest, recallWords, relevanceOf } from "./recall-gate.ts";
import { wordMatcher } from "./word-match.ts";

const wordsIn = (message: string) => recallWords(message)?.words.map(({ word }) => word);

/** What of these turns is worth telling, with how many of them hold each word counted as an index would. */
function told(message: string, turns: readonly string[]): string[] {
  const asked = recallWords(message)!;
  const counts = asked.words.map(
    (word) => turns.filter((text) => wordMatcher([word])(text).length > 0).length,
  );
  const { isRelevant } = relevanceOf(asked, counts, turns.length);
  return turns.filter((text) => isRelevant({ source: "sessions/default/ses_a.jsonl", text }));
}

describe("whether memory is asked at all", () => {
  test.each([
    "hello",
    "thanks",
    "ok",
    "Ok, thank you!",
    "good morning!",
    "yes please",
    "sounds good",
    "danke schön",
    "merci",
    "спасибо",
    "ありがとうございます。",
    "谢谢！",
    "안녕하세요",
    "12",
    "👍",
    "",
  ])("%j says nothing that memory could know", (message) => {
    expect(recallWords(message)).toBeUndefined();
  });

  test.each([
    "who is Anna",
    "hello, where did I park?",
    "thanks, and Peter?",
    "7741?",
    "the flat",
    "what is on my todo list?",
    "How big is data/server.log?",
    "誕生日はいつですか",
    "Wo ist der Schlüssel",
  ])("%j may mean something that memory knows", (message) => {
    expect(recallWords(message)).toBeDefined();
  });

  test("is known from the first word that is about something, as from all of them", () => {
    const words = `hello Thanks, and the Anna 12 1984 x É e\u0301t Ärger don't thing 誕生日 ありがとう notes/list.md
      https://example.org/a tripods something - 👍 İ`;
    const piece = fc.constantFrom(...words.split(/\s+/u), "\n");
    const message = fc.array(fc.tuple(piece, fc.constantFrom(" ", "", ". ")), { maxLength: 60 });
    fc.assert(
      fc.property(message, (pieces) => {
        const text = pieces.flat().join("");
        expect(isAboutSomething(text)).toBe(recallWords(text) !== undefined);
      }),
      { numRuns: 2_000 },
    );
    expect(isAboutSomething(`${"ok thanks ".repeat(20)}where is the tripod?`)).toBe(true);
  });

  test("a file or a link counts by its name, and only where nothing else is said", () => {
    expect(wordsIn("what does http://127.0.0.1:18570/garden?x=1 say about tomatoes?")).toEqual(["tomatoes"]);
    expect(wordsIn("what did I say of notes/packing-list.md?")).toEqual(["packing", "list"]);
    expect(wordsIn("what is https://example.org")).toEqual(["example"]);
    expect([...recallWords("show me data/server.log")!.telling]).toEqual([]);
    for (const question of [
      "the number of Odile",
      "die Nummer von Odile",
      "le numéro d'Odile",
      "el número de Odile",
    ])
      expect([...recallWords(question)!.telling]).toEqual(["odile"]);
  });

  test("a message is read once, though others are asked of in between", () => {
    const messages = Array.from({ length: 8 }, (_, at) => `where is the tripod of house ${at}00?`);
    const read = messages.map((message) => recallWords(message));
    expect(messages.map((message) => recallWords(message))).toEqual(read);
    for (const [at, message] of messages.entries()) expect(recallWords(message)).toBe(read[at]);
  });

  test("one word in two forms counts once, and so does what is only about the work itself", () => {
    expect(wordsIn("which recipes have a recipe for plum cake?")).toEqual(["recipes", "plum", "cake"]);
    expect(wordsIn("which file lists the plumber?")).toEqual(["plumber"]);
    expect(wordsIn("what is on my todo list?")).toEqual(["todo", "list"]);
  });
});

describe("what is worth telling", () => {
  const NOISE = Array.from(
    { length: 60 },
    (_, at) => `Put the meeting on the list, item ${at} of the garden plan`,
  );

  test("a rare word of a question counts, and one that stands everywhere does not", () => {
    const turns = [...NOISE, "The plumber is called Huber"];
    expect(told("who is the plumber for the garden?", turns)).toEqual(["The plumber is called Huber"]);
  });

  test("a message that asks nothing needs two words in common, and half of what it says", () => {
    const turns = [
      "Clara is allergic to hazelnuts",
      "Clara lives in Graz",
      "A cake with hazelnuts for Clara",
    ];
    expect(told("Bake something with hazelnuts for Clara", turns)).toEqual([turns[0], turns[2]]);
    expect(told("Bake a cheesecake, a strudel and a marble cake for Clara", turns)).toEqual([]);
  });

  test("where there is only talk of the work itself, a turn has to hold all of it", () => {
    const turns = ["Make a packing list", "The todo list: buy stamps", "How many words are in my notes?"];
    expect(told("what is on my todo list?", turns)).toEqual([turns[1]]);
    expect(told("Which three files did you write first?", turns)).toEqual([]);
  });

  test("it is known beforehand that nothing can be, where memory knows too little of the words", () => {
    const asked = recallWords("Where did Yara leave the tripod in August?")!;
    expect(asked.words).toHaveLength(4);
    expect(relevanceOf(asked, [0, 0, 0, 0], 500).isPossible).toBe(false);
    expect(relevanceOf(asked, [0, 0, 0, 400], 500).isPossible).toBe(false);
    expect(relevanceOf(asked, [1, 2, 0, 0], 500).isPossible).toBe(true);
  });

  test("a word that stands in thousands of turns answers no question by itself, unless nothing else is asked", () => {
    const turn = (text: string, source = "sessions/default/ses_a.jsonl") => ({ source, text });
    const asked = recallWords("Where did Anna leave the tripod in March?")!;
    expect(asked.words.map(({ word }) => word)).toEqual(["anna", "leave", "tripod", "march"]);
    const among = (total: number) => relevanceOf(asked, [2_500, 3_000, 1_500, 4_000], total);
    expect(among(100_000).isRelevant(turn("Anna and the tripod"))).toBe(true);
    expect(among(100_000).isRelevant(turn("Anna comes on Monday"))).toBe(false);
    expect(among(100_000).isRelevant(turn("In March it rains"))).toBe(false);
    // The note of that name is about her.
    expect(among(100_000).isRelevant(turn("Likes tulips", "memory/default/anna.md"))).toBe(true);
    const only = relevanceOf(recallWords("Who is Anna?")!, [2_500], 100_000);
    expect(only.isPossible).toBe(true);
    expect(only.isRelevant(turn("Anna comes on Monday"))).toBe(true);
    const seldom = relevanceOf(asked, [90, 3_000, 1_500, 4_000], 100_000);
    expect(seldom.isRelevant(turn("Anna comes on Monday"))).toBe(true);
  });

  test("in a large memory, what some turn always holds by chance is told to nobody who asks nothing", () => {
    const turn = (text: string) => ({ source: "sessions/default/ses_a.jsonl", text });
    const told = "Hugo moved the broken lawnmower to Malmo because of pottery";
    const frequent = [2_500, 20_000, 3_500, 2_000, 3_000, 4_000];
    const asked = recallWords(told)!;
    expect(asked.words).toHaveLength(frequent.length);
    const among = (counts: readonly number[], total: number) => relevanceOf(asked, counts, total).isRelevant;
    const chance = turn("Otto moved the broken kettle to Malmo because of pottery");
    const same = turn("Hugo sold the broken lawnmower in Malmo");
    expect(among(frequent, 100_000)(chance)).toBe(false);
    expect(among(frequent, 100_000)(same)).toBe(true);
    // Where the words are rare, or few turns are there, so many in common are no chance.
    expect(among([40, 20_000, 60, 30, 25, 40], 100_000)(chance)).toBe(true);
    expect(among([3, 20, 4, 2, 3, 4], 100)(chance)).toBe(true);
    // Whatever is there: what holds all of a message is about it.
    const few = relevanceOf(recallWords("Hugo came to Malmo")!, [9_000, 9_000, 9_000], 100_000);
    expect(few.isRelevant(turn("Malmo, where Hugo came once"))).toBe(true);
  });

  test("words that are always told together make no turn worth telling, the less the more is in memory", () => {
    const turn = (text: string) => ({ source: "sessions/default/ses_a.jsonl", text });
    const asked = recallWords("Yara moved the borrowed microscope to Graz on 5 October because of fencing")!;
    const names = ["yara", "moved", "borrowed", "microscope", "graz", "october", "fencing"];
    expect(asked.words.map(({ word }) => word)).toEqual(names);
    const among = (total: number) =>
      relevanceOf(
        asked,
        [2_400, 11_000, 2_300, 1_600, 2_600, 3_500, 2_500].map((count) => (count * total) / 100_000),
        total,
      );
    const alike = turn("Simon moved the borrowed sofa to Bern on 27 October because of fencing");
    const same = turn("Yara brought the borrowed microscope back to Graz");
    expect([1_000, 100_000].map((total) => among(total).isRelevant(alike))).toEqual([true, false]);
    expect([1_000, 100_000].map((total) => among(total).isRelevant(same))).toEqual([true, true]);
    expect(among(1_000_000_000_000).isPossible).toBe(true);
    // Whoever asks is told as before, and so is the note that a message is about.
    const question = recallWords("Where did Yara move the borrowed microscope in October?")!;
    const counts = question.words.map(() => 2_500);
    expect(relevanceOf(question, counts, 100_000).isRelevant(alike)).toBe(true);
    const note = { source: "memory/default/borrowed-microscope.md", text: "From Graz, since October" };
    expect(among(100_000).isRelevant(note)).toBe(true);
  });

  test("each turn that is worth telling holds one of the rare words", () => {
    const word = fc.constantFrom<string>("anna", "tripod", "garden", "plumber", "huber", "violin", "piano");
    const message = fc.array(word, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { minLength: 7, maxLength: 7 }),
        message,
        message,
        fc.boolean(),
        (counts, said, turn, asks) => {
          const asked = recallWords(`${asks ? "where is " : "so "}${said.join(" ")}`)!;
          const { isRelevant, rare } = relevanceOf(asked, counts.slice(0, asked.words.length), 300);
          if (isRelevant({ source: "sessions/default/ses_a.jsonl", text: turn.join(" ") }))
            expect(rare.some((each) => turn.includes(each.word))).toBe(true);
        },
      ),
    );
  });

  test("what is far behind the best is not told", () => {
    expect(nearBest([{ score: 10 }, { score: 7 }, { score: 6.9 }])).toEqual([{ score: 10 }, { score: 7 }]);
    expect(nearBest([])).toEqual([]);
  });
});
