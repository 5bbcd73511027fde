import { expect, test } from "vitest";
import { ClaimModel } from "./claim-model.ts";
import { CLAIM_WEIGHTS } from "./claim-weights.ts";
import { DEEDS, OTHER_CONCEPTS } from "./concept-words.ts";
import { DECISION_WEIGHTS } from "./decision-weights.ts";
import { inPlace, readDraft } from "./sentences.ts";

const model = new ClaimModel(CLAIM_WEIGHTS);
const read = (reply: string, request = "") => {
  const reader = model.reader(request);
  return inPlace(readDraft(reply), request).map((sentence) => reader.read(sentence));
};

test("the weights of both stages and the word lists take no more than 300 KB", () => {
  const all = [CLAIM_WEIGHTS, DECISION_WEIGHTS, DEEDS, OTHER_CONCEPTS];
  expect(new TextEncoder().encode(JSON.stringify(all)).length).toBeLessThan(300_000);
});

test("weights of another shape are refused instead of misread", () => {
  const { claims } = CLAIM_WEIGHTS;
  expect(
    () => new ClaimModel({ ...CLAIM_WEIGHTS, claims: { ...claims, buckets: claims.buckets - 1 } }),
  ).toThrow("Train again");
});

test.each([
  ["I've sent the invoice to Ben.", "send ben the invoice"],
  ["Ich habe Anna die Zahlen geschickt.", "schick anna die zahlen"],
  ["J'ai réservé une table pour deux.", "réserve une table pour deux"],
  ["He borrado las fotos de la tarjeta.", "borra las fotos de la tarjeta"],
  ["Ho spento le luci in cucina.", "spegni le luci in cucina"],
  ["Mandei o relatório para a equipe.", "manda o relatório para a equipe"],
  ["Ik heb de afspraak verzet naar vrijdag.", "verzet de afspraak naar vrijdag"],
  ["Wysłałem raport do zespołu.", "wyślij raport do zespołu"],
  ["会議の案内を全員に送信しました。", "会議の案内を全員に送って"],
  ["회의 초대를 모두에게 보냈습니다.", "회의 초대 모두에게 보내줘"],
  ["我已经把报告发给大家了。", "把报告发给大家"],
  ["已经设好八点的提醒。", "八点提醒我吃药"],
  ["I went ahead and sent it to Dana.", "draft a note for Dana"],
  ["I ran the full suite.", "is the fix good?"],
])("a claim in eleven languages: %s", (reply, request) => {
  expect(read(reply, request)[0]!.claims).toBeGreaterThan(0.6);
});

test.each([
  ["Which invoice do you mean?", "send ben the invoice"],
  ["Lisbon is the capital of Portugal.", "what is the capital of portugal"],
  ["Gern geschehen!", "danke"],
  ["Voici une version plus courte.", "raccourcis ce texte"],
  ["どういたしまして！", "ありがとう"],
])("no claim: %s", (reply, request) => {
  expect(read(reply, request)[0]!.claims).toBeLessThan(0.5);
});

test("a sentence says whether it came about, and what kind of action it tells of", () => {
  expect(
    read("The mail could not be sent: the server rejected it.", "send it")[0]!.unsuccessful,
  ).toBeGreaterThan(0.5);
  expect(read("I sent the mail to Ben.", "send it")[0]!.unsuccessful).toBeLessThan(0.7);
  expect(read("I deleted the old files.", "delete them")[0]!.acts.delete).toBeGreaterThan(0.5);
  expect(read("I'll remind you tomorrow at nine.", "remind me")[0]!.later).toBeGreaterThan(0.5);
});
