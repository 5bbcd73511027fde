import { LocalTime } from "@elwood/core/base/local-time";
import type { Message } from "@elwood/core/message/message";
import { toModelMessages } from "@elwood/runtime/run/history";
import { text, toolCall } from "@elwood/sdk/model-script/steps";
import { listen, requestOf, said } from "@elwood/testkit/contract-request";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, test } from "vitest";
import { germanSteps, GERMAN_NOTICE, inEnglish, isGerman } from "./demo-german.ts";
import { makeDemo } from "./demo.ts";

const demo = makeDemo({ clock: new ManualClock(), paceMs: 0 });

async function talk(...asked: string[]): Promise<string> {
  const messages: Message[] = [];
  let reply = "";
  for (const words of asked) {
    messages.push(said("user", { type: "text", text: words, origin: "owner" }));
    const heard = await listen(
      demo,
      requestOf({ messages: toModelMessages(messages, new LocalTime("UTC")) }),
    );
    reply = heard.text;
    messages.push(said("assistant", { type: "text", text: reply }));
  }
  return reply;
}

const ENGLISH = /\b(?:the|you|your|is|are|and|with|that|nothing|what)\b/i;

test.each([
  ["Was kannst du?", /^Ich bin das Demo-Modell[^]*Sag zum Beispiel:/],
  ["Was sind Belege?", /Jeder Aufruf hinterlässt Belege/],
  ["Wie verbinde ich ein echtes Modell?", /So verbindest du ein Modell/],
  ["Verbinde ein echtes Modell", /So verbindest du ein Modell/],
  ["Wer bist du?", /^Ich bin das Demo-Modell/],
  ["Was ist Elwood?", /persönlicher Assistent/],
  ["Hallo", /Hallo\. Frag mich/],
  ["Danke!", /Gern geschehen/],
  ["Wie wird das Wetter bitte?", /keine vorbereitete Antwort/],
  ["Räume meinen Demo-Ordner auf", /Ich habe nichts getan\. Das braucht/],
])("the demo answers in German what is asked in German: %s", async (asked, told) => {
  const reply = await talk(asked);
  expect(reply).toMatch(told);
  expect(reply.replaceAll(/`[^`]*`/g, "")).not.toMatch(ENGLISH);
});

test("it says once that it is a script, whichever language that was in", async () => {
  expect(await talk("Hallo", "Was sind Belege?")).not.toContain(GERMAN_NOTICE);
  expect(await talk("Hallo", "what does it cost?")).not.toContain("demo model");
  expect(await talk("hello", "Was sind Belege?")).not.toContain(GERMAN_NOTICE);
});

test.each([
  "what files are here",
  "write 'und ist' to ein/Käse.txt",
  "read meine-notiz.txt",
  "tidy my demo folder",
  "run du -sh",
])("what is asked in English is answered in English, whatever it names: %s", (words) => {
  expect(isGerman({ said: words })).toBe(false);
});

test("what was done is told in German, and what a tool said stays as it came", () => {
  const told = (words: string) => {
    const [step] = germanSteps([text(words)]);
    return step?.type === "text" ? step.text : "";
  };
  expect(told("That is done [c3]. To take it back: `elwood undo`.")).toBe(
    "Das ist erledigt [c3]. Rückgängig machen: `elwood undo`.",
  );
  expect(
    told(
      "I looked into the folder demo [c1] and put one loose file away. That is done [c2]. To take it back: `elwood undo`.",
    ),
  ).toBe(
    "Ich habe in den Ordner demo gesehen [c1] und eine lose Datei weggeräumt. Das ist erledigt [c2]. Rückgängig machen: `elwood undo`.",
  );
  expect(told("I read a.txt [c1]. It says:\n\n```text\nThat did not work: no\n```")).toBe(
    "Ich habe a.txt gelesen [c1]. Darin steht:\n\n```text\nThat did not work: no\n```",
  );
  expect(
    told(
      "The command `ls` ended with exit code 2 [c1], which is how programs complain. There was no output.",
    ),
  ).toBe("Der Befehl `ls` endete mit Code 2 [c1]; so melden Programme Fehler. Er gab nichts aus.");
  expect(told("That was denied, so it was not done: “no”")).toBe("Das wurde abgelehnt und nicht getan: “no”");
  expect(germanSteps([toolCall("owner.question.ask", { question: "What shall I call you?" })])).toEqual([
    toolCall("owner.question.ask", { question: "Wie soll ich dich nennen?" }),
  ]);
});

test("only a whole request is taken for another", () => {
  const turn = { said: "Bitte räume meinen Demo-Ordner auf!", plain: "" } as Parameters<typeof inEnglish>[0];
  expect(inEnglish(turn).said).toBe("tidy my demo folder");
  expect(inEnglish({ ...turn, said: "Räume meinen Demo-Ordner auf und lösche alles" }).said).toBe(
    "Räume meinen Demo-Ordner auf und lösche alles",
  );
});
