import { expect, test } from "vitest";
import { gateReplies, groundGate, type GateReply } from "./gate.ts";

// The tests of the whole take minutes to find out that new weights break them; this takes a second.
test("each reply that the tests of the whole show to the check comes out as they need it", () => {
  const all = gateReplies();
  expect(all.length).toBeGreaterThan(900);
  const wrong = all.flatMap((each) => {
    const { marked: wanted, either = [], repair: lap } = each;
    const { marks, repair } = groundGate(each);
    const said = marks.map(({ sentence }) => sentence);
    const marked = said.filter((sentence) => wanted.includes(sentence) || !either.includes(sentence));
    const isAsNeeded =
      JSON.stringify(marked) === JSON.stringify(wanted) &&
      (lap ?? repair !== undefined) === (repair !== undefined);
    return isAsNeeded ? [] : [{ ...told(each), wanted, lap, marked, repair }];
  });
  expect(wrong).toEqual([]);
});

function told({ from, user, reply, run, earlier = [] }: GateReply) {
  const calls = [...earlier, ...run].map(
    ({ cite, toolId, status, target = "" }) => `${cite} ${toolId} ${status} ${target}`,
  );
  return { from, user, reply, calls };
}
