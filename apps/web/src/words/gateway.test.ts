import { expect, test } from "vitest";
import { gateway } from "./de/gateway.ts";
import { gatewayText, sentencesIn } from "./gateway.ts";

const german = (text: string) => sentencesIn(gateway.sentences, text);

test("what core writes on cards is said in German, part by part", () => {
  expect(german("Create shopping.txt")).toBe("shopping.txt anlegen");
  expect(german("1 line out, 2 in · you can undo this")).toBe(
    "1 Zeilen weg, 2 dazu · du kannst es rückgängig machen",
  );
  expect(german("Asking because you didn't name notes/plan.md.")).toBe(
    "Elwood fragt, weil du notes/plan.md nicht genannt hast.",
  );
  expect(german("Every change asks in strict mode.")).toBe("Im strengen Modus fragt jede Änderung.");
});

test("names stay as they are, whatever they hold, and what is not known is shown as it came", () => {
  expect(german("Delete $1 $& {0}.txt")).toBe("$1 $& {0}.txt löschen");
  expect(german("Frobnicate the widget")).toBe("Frobnicate the widget");
  // The page of a test speaks English.
  expect(gatewayText("Create shopping.txt")).toBe("Create shopping.txt");
});
