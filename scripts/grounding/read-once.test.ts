import { ClaimModel } from "@elwood/core/grounding/claim-model";
import { CLAIM_WEIGHTS } from "@elwood/core/grounding/claim-weights";
import { FactReader } from "@elwood/core/grounding/facts";
import { readReply } from "@elwood/core/grounding/read-reply";
import { inPlace, readDraft } from "@elwood/core/grounding/sentences";
import { expect, test } from "vitest";
import { callsOf } from "./decide.ts";
import { allRows } from "./rows.ts";

/** One labelled reply of this many: some hundred in all languages. */
const EVERY = 40;
const rows = allRows().filter((_, at) => at % EVERY === 0);
const model = new ClaimModel(CLAIM_WEIGHTS);

test("what a reader keeps of a reply changes nothing: each sentence reads as it does alone, in any order", () => {
  expect(rows.length).toBeGreaterThan(300);
  for (const { reply, user } of rows) {
    const placed = inPlace(readDraft(reply), user);
    const shared = model.reader(user);
    const backwards = placed.toReversed().map((sentence) => shared.read(sentence));
    const alone = placed.map((sentence) => model.reader(user).read(sentence));
    expect(backwards.toReversed()).toEqual(alone);
    expect(placed.map((sentence) => shared.read(sentence))).toEqual(alone);
  }
});

test("facts that are computed once for a reply are those of each sentence alone", () => {
  for (const row of rows.filter((_, at) => at % 4 === 0)) {
    const context = readReply(model, readDraft(row.reply), row.user, callsOf(row));
    const shared = new FactReader(context);
    for (const at of context.sentences.keys())
      expect(shared.factsOf(at)).toEqual(new FactReader(context).factsOf(at));
  }
});
