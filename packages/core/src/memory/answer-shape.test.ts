import { expect, test } from "vitest";
import {
  answerShape,
  beginsAsOrder,
  isAboutListener,
  isOrder,
  isQuestion,
  isReaction,
  isWish,
  knowsNothing,
  namesMentioned,
  wantsToKnow,
} from "./answer-shape.ts";

test.each([
  ["When did I move?", "time"],
  ["Which month was it?", "time"],
  ["Wann war das?", "time"],
  ["How many boats are there?", "number"],
  ["Wie alt ist Jo?", "number"],
  ["Where is the key?", "place"],
  ["In welcher Straße war das? Wo?", "place"],
  ["Who has the key?", ""],
])("%s asks for %s", (question, kind) => {
  const shape = answerShape(question);
  expect(Object.entries(shape).flatMap(([name, is]) => (is ? [name] : []))).toEqual(
    kind === "" ? [] : [kind],
  );
});

test("a question is a text that ends by asking, whatever is said of a picture after it", () => {
  expect(isQuestion("Is it yours? [photo: a boat]")).toBe(true);
  expect(isQuestion("是你的吗？")).toBe(true);
  expect(isQuestion("Is it? I hope so.")).toBe(false);
});

test("reactions and words about the listener are told from what is told", () => {
  expect(isReaction("Wow, what a boat!")).toBe(true);
  expect(isReaction("Klingt gut.")).toBe(true);
  expect(isReaction("Greatness is a boat.")).toBe(false);
  expect(isAboutListener("You should sell it.")).toBe(true);
  expect(isAboutListener("You and I should sell it.")).toBe(false);
});

test("names are counted inside sentences, three at most", () => {
  expect(namesMentioned("Then Jo sailed to Lisbon. She liked it.")).toBe(2);
  expect(namesMentioned("A trip with Jo, Ann, Ben and Carl to Rome")).toBe(3);
});

test.each([
  ["run: grep -c Zebra expenses.csv", true],
  ["please delete plan.md", true],
  ["Can you compare a.txt and b.txt?", true],
  ["Lösche bitte plan.md", true],
  ["Please proofread the letter from Porto for Nora", true],
  ["OK, please outline the speech", true],
  ["Bitte plane die Reise nach Graz", true],
  ["Look up what I told you of Anna and the suitcase", true],
  ["Find out when I last mentioned the boiler", true],
  ["Suche bitte, was ich dir über den Koffer gesagt habe", true],
  ["Cherche ce que je t'ai dit de la valise", true],
  ["Please check whether we mentioned the boiler to Nora", true],
  ["Look up whether I lent Anna the spreadsheet from Lyon", true],
  ["Please check if we paid the gardener in March", true],
  ["Find out whether I still have a kayak", true],
  ["Schau bitte mal nach, ob ich Anna das Fahrrad geliehen habe", true],
  ["Vérifie si j'ai payé le jardinier", true],
  ["Mira si presté la bici a Ana", true],
  ["Check whether I paid: the invoice was 250 euros", false],
  ["Look up whether I lent my sister the kayak", false],
  ["Check whether I paid, since we moved to Graz", false],
  ["Look up where I left the passport", false],
  ["Look for the kayak that I left in Porto", false],
  ["Mira que mi hermana es alérgica", false],
  ["Schau mal, Anna ist nach Graz gezogen", false],
  ["Look up what I told you of my sister's suitcase", false],
  ["Save what I said: Clara is allergic to hazelnuts", false],
  ["Write down what I told you: the safe code is 7741", false],
  ["Add what we said to the list: Clara wants a blue bike", false],
  ["Create a note of what I told you, that Peter moved to Graz", false],
  ["Check what I wrote to Nora: the boiler is from 1998", false],
  ["Schreib auf, was ich dir gesagt habe: der Code ist 7741", false],
  ["Écris ce que je t'ai dit : le code est 7741", false],
  ["Find the suitcase that I left in Porto", false],
  ["Please remember that the safe is blue", false],
  ["Please note: the alarm code is 7741", false],
  ["Please do not forget that Clara is allergic", false],
  ["Bitte merke dir, dass der Tresor blau ist", false],
  ["Please plan the party for my sister", false],
  ["Book a table for two", false],
  ["Write to my sister about the house", false],
  ["Remember that the safe is blue", false],
  ["My sister Clara is allergic to hazelnuts", false],
  ["Running is fun", false],
])("%j is an order that holds nothing to know: %s", (text, is) => {
  expect(isOrder(text)).toBe(is);
});

test.each([
  ["which bike do I have", true],
  ["and where is the key", true],
  ["Is it far?", true],
  ["tell me about Clara", true],
  ["wo wohnt Clara", true],
  ["I need a birthday present idea for Clara", true],
  ["Write an invitation to Peter, with a suggestion what to cook", true],
  ["Ich brauche einen Vorschlag für Samstag", true],
  ["I need birthday present ideas for Clara", true],
  ["We still need some advice about the mortgage", true],
  ["Give me ideas for Clara's birthday", true],
  ["Clara turns nine on Friday. Any ideas", true],
  ["Suggest a present for Clara", true],
  ["Please recommend a book for Peter", true],
  ["I'd like to get some good tips for Porto", true],
  ["Ich brauche Ideen für Claras Geburtstag", true],
  ["Clara wird neun, gib mir ein paar Geschenkideen", true],
  ["Schlag mir ein Geschenk für Clara vor", true],
  ["Ich suche Rat wegen der Hypothek", true],
  ["J'ai besoin d'idées pour Clara", true],
  ["Donne-moi une idée de cadeau pour Clara", true],
  ["Necesito ideas para Clara", true],
  ["I saw a rat in the cellar", false],
  ["Draft a note to Nora with the dead rat in the cellar", false],
  ["I need a rat trap for the cellar", false],
  ["It was a bad idea to lend the bike to Peter yesterday, he lost the key", false],
  ["Peter gave me some advice about the mortgage", false],
  ["I had an idea for the garden: a pond", false],
  ["I needed advice, and Nora suggested a lawyer", false],
  ["I want to tell you of my idea for the garden: a pond", false],
  ["I want to give Peter some advice about the mortgage", false],
  ["Peter came with a suggestion for the garden", false],
  ["Der Arzt gab mir einen guten Rat", false],
  ["Ich brauchte gestern einen Rat von Peter", false],
  ["Peter schlug mir ein Geschenk für Clara vor", false],
  ["Clara m'a donné une idée", false],
  ["Peter me dio una idea", false],
  ["delete plan.md", false],
  ["I sold the bike", false],
  ["The idea was Anna's", false],
])("%j wants to know something: %s", (text, wants) => {
  expect(wantsToKnow(text)).toBe(wants);
});

test.each([
  ["I don't know where Anna left the kettle.", true],
  ["I do not know that; tell me and I will note it.", true],
  ["I don\u2019t have anything about Anna's kettle in your notes.", true],
  ["I have no record of a kettle. Shall I note one?", true],
  ["I looked in your notes, and I found nothing about a kettle.", true],
  ["Sorry, I couldn't find anything about Anna's kettle.", true],
  ["Ich weiß leider nicht, wo Anna den Kessel gelassen hat.", true],
  ["Ich habe dazu nichts gefunden.", true],
  ["Je ne sais pas où Anna a laissé la bouilloire.", true],
  ["No tengo nada sobre Ana y la tetera.", true],
  ["I don't know the day, but Anna left the kettle in Graz.", false],
  ["I found nothing in your notes. However, Anna's mail says it is in Graz.", false],
  ["I found nothing newer than this: the kettle is in Graz.", false],
  ["I don't have the day, only that it was in May.", false],
  ["I found no kettle in these:\n- Graz\n- Linz", false],
  ["I looked in your notes but found nothing about a kettle. Tell me, and I will remember it.", true],
  ["I don't know where it is; Anna moved to Graz.", false],
  ["I don't know. If you mean the red one, it is in Graz.", false],
  ["I don't know. I can see Anna in Graz on Friday.", false],
  ["I don't know. If you tell me, I can note it.", true],
  ["I found nothing wrong with the letter.", false],
  ["I have no meetings for you on Friday.", false],
  ["I couldn't find any errors in it.", false],
  ["Anna left the kettle in Graz. I don't know when.", false],
  ["I don't know when. Anna left the kettle in Graz.", false],
  ["Anna left the kettle in Graz, and I don't know when.", false],
  ["Anna does not know where the kettle is.", false],
  ["I knew it.", false],
  [`I don't know where it is. ${"Anna was here and there. ".repeat(20)}`, false],
])("%j knows nothing: %s", (text, expected) => {
  expect(knowsNothing(text)).toBe(expected);
});

test.each([
  ["I need birthday present ideas for Clara", true],
  ["Ich brauche Ideen für ein Abendessen mit Peter und Ines.", true],
  ["Clara turns nine on Friday. Any ideas", false],
  ["I need ideas for Clara. She likes pottery", false],
  ["I had an idea for the garden: a pond", false],
])("%s is a wish and nothing else: %s", (text, expected) => {
  expect(isWish(text)).toBe(expected);
});

test.each(["Do not call Peter before noon", "Don't call Peter before noon"])(
  "asks for nothing: %s",
  (text) => {
    expect(wantsToKnow(text)).toBe(false);
  },
);

test("orders and questions are told quickly, whatever the text", () => {
  const begun = process.cpuUsage();
  for (const text of [
    "please ".repeat(20_000),
    "ok, ".repeat(20_000),
    "could you ".repeat(20_000),
    "a word ".repeat(20_000),
    "need some with a ".repeat(10_000),
    "Schlag ".repeat(20_000),
  ]) {
    isOrder(text);
    wantsToKnow(text);
  }
  expect(process.cpuUsage(begun).user).toBeLessThan(500_000);
});

test.each([
  ["In notes/todo.md, tick off 'call the plumber' under Office", true],
  ["Remind me tomorrow at 9 to call the dentist", true],
  ["Please put it on the list", true],
  ["Please sort the photographs from Lyon", true],
  ["Please remember what Anna likes", false],
  ["Remind me what Anna likes", false],
  ["In May, Anna comes to visit", false],
  ["What do you know about Anna?", false],
])("%s tells the assistant to do something: %s", (text, is) => {
  expect(beginsAsOrder(text)).toBe(is);
});
