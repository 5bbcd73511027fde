import { describe, expect, test } from "vitest";
import { authorise, type CallNames } from "./authority.ts";

const labels = {
  egress: "none",
  output: "trusted",
  ids: {},
  sensitive: false,
  time: ["at"],
  content: ["message"],
} as const;
const base = { risk: "write" as const, canUndo: true, input: {} };
const CREATE = {
  ...base,
  id: "schedule.job.create",
  labels: { ...labels, critical: [], verbs: ["schedule" as const, "write" as const] },
};
const UPDATE = {
  ...base,
  id: "schedule.job.update",
  labels: { ...labels, critical: ["name"], verbs: ["schedule" as const, "write" as const, "move" as const] },
};
/** A Monday, ten past three in the afternoon in Berlin. */
const CLOCK = { now: Date.parse("2026-11-16T14:10:00Z"), timeZone: "Europe/Berlin" };

function sets(typed: string, input: { message: string; at: string; timeZone?: string }): boolean {
  return authorise(CREATE, input, { typed: [typed], seen: [], today: ["2026-11-16"], clock: CLOCK })
    .authorised;
}

describe("how long from now", () => {
  test.each([
    ["Remind me in 20 minutes to take the pizza out", "take the pizza out", "2026-11-16T15:30"],
    ["Remind me in half an hour to call mum", "call mum", "2026-11-16T15:40"],
    ["Remind me in an hour to call mum", "Call mum", "2026-11-16T16:10"],
    ["Erinnere mich in 20 Minuten daran, die Pizza rauszuholen", "Pizza rausholen", "2026-11-16T15:30"],
    ["Erinnere mich in einer halben Stunde an die Wäsche", "Wäsche", "2026-11-16T15:40"],
    ["Erinnere mich in zwei Stunden an den Kuchen", "Kuchen", "2026-11-16T17:10"],
    ["Recuérdame en 20 minutos sacar la pizza", "sacar la pizza", "2026-11-16T15:30"],
    ["Recuérdame dentro de una hora llamar a Ana", "llamar a Ana", "2026-11-16T16:10"],
    ["Rappelle-moi dans 20 minutes de sortir la pizza", "sortir la pizza", "2026-11-16T15:30"],
    ["Rappelle-moi dans une heure d'appeler maman", "appeler maman", "2026-11-16T16:10"],
    ["20分钟后提醒我关火", "关火", "2026-11-16T15:30"],
    ["两个小时后提醒我关火", "关火", "2026-11-16T17:10"],
    ["20分後に火を止めるようリマインドして", "火を止める", "2026-11-16T15:30"],
    ["1時間後にリマインドして、火を止める", "火を止める", "2026-11-16T16:10"],
    ["Herinner me over 20 minuten aan de pizza", "de pizza", "2026-11-16T15:30"],
    ["Ricordami fra 20 minuti di chiamare Anna", "chiamare Anna", "2026-11-16T15:30"],
    ["Remind me in 3 days at 9 am to water the plants", "water the plants", "2026-11-19T09:00"],
  ])("%s", (typed, message, at) => {
    expect(sets(typed, { message, at })).toBe(true);
  });

  test.each([
    ["Remind me in 20 minutes to take the pizza out", "take the pizza out", "2026-11-16T16:10"],
    ["Remind me in 20 minutes to take the pizza out", "take the pizza out", "2026-11-17T15:30"],
    ["Erinnere mich in zwei Stunden an den Kuchen", "Kuchen", "2026-11-16T15:12"],
    ["两个小时后提醒我关火", "关火", "2026-11-18T15:10"],
  ])("not at another time: %s %s %s", (typed, message, at) => {
    expect(sets(typed, { message, at })).toBe(false);
  });
});

describe("hours as people say them", () => {
  test.each([
    ["Remind me tomorrow at half past eight to call mum", "call mum", "2026-11-17T08:30"],
    ["Remind me tomorrow at a quarter to nine to call mum", "call mum", "2026-11-17T08:45"],
    ["Remind me tomorrow at nine to call mum", "call mum", "2026-11-17T09:00"],
    ["Remind me tomorrow at 9:30 pm to call mum", "call mum", "2026-11-17T21:30"],
    ["Remind me at 5 pm to call mum", "call mum", "2026-11-16T17:00"],
    ["Remind me at 9 am to call mum", "call mum", "2026-11-17T09:00"],
    ["Remind me at noon tomorrow to eat", "eat", "2026-11-17T12:00"],
    ["Erinnere mich morgen um halb neun an die Wäsche", "Wäsche", "2026-11-17T08:30"],
    ["Erinnere mich heute Abend um halb neun an die Wäsche", "Wäsche", "2026-11-16T20:30"],
    ["Erinnere mich morgen um Viertel vor neun an die Wäsche", "Wäsche", "2026-11-17T08:45"],
    ["Erinnere mich morgen um 9 Uhr 30 an die Wäsche", "Wäsche", "2026-11-17T09:30"],
    ["Erinnere mich morgen um 9.30 Uhr an die Wäsche", "Wäsche", "2026-11-17T09:30"],
    ["Erinnere mich um 18 Uhr an die Wäsche", "Wäsche", "2026-11-16T18:00"],
    ["Recuérdame mañana a las ocho y media llamar a Ana", "llamar a Ana", "2026-11-17T08:30"],
    ["Recuérdame mañana a las nueve menos cuarto llamar a Ana", "llamar a Ana", "2026-11-17T08:45"],
    ["Rappelle-moi demain à huit heures et demie d'appeler maman", "appeler maman", "2026-11-17T08:30"],
    ["Rappelle-moi demain à 8 h 15 d'appeler maman", "appeler maman", "2026-11-17T08:15"],
    ["明天八点半提醒我给妈妈打电话", "给妈妈打电话", "2026-11-17T08:30"],
    ["明天下午三点提醒我开会", "开会", "2026-11-17T15:00"],
    ["明日の8時半に母に電話するようリマインドして", "母に電話する", "2026-11-17T08:30"],
    ["Herinner me morgen om half negen aan de wasmachine", "de wasmachine", "2026-11-17T08:30"],
    ["Remind me tomorrow morning to call mum", "call mum", "2026-11-17T09:00"],
    ["Remind me on Friday to call mum", "call mum", "2026-11-20T09:00"],
  ])("%s", (typed, message, at) => {
    expect(sets(typed, { message, at })).toBe(true);
  });

  test.each([
    ["Erinnere mich morgen um halb neun an die Wäsche", "Wäsche", "2026-11-17T09:30"],
    ["Herinner me morgen om half negen aan de wasmachine", "de wasmachine", "2026-11-17T09:30"],
    ["Remind me tomorrow at half past eight to call mum", "call mum", "2026-11-17T20:30"],
    ["Remind me tomorrow at 9 to call mum", "call mum", "2026-11-17T00:00"],
    ["Remind me tomorrow morning to call mum", "call mum", "2026-11-17T18:00"],
    ["Remind me on Friday to call mum", "call mum", "2026-11-20T03:00"],
    // Tonight or tomorrow morning: nobody can tell.
    ["Remind me at 8 to call mum", "call mum", "2026-11-17T08:00"],
    ["Remind me at 5 pm to call mum", "call mum", "2026-11-17T17:00"],
  ])("not at another time: %s %s %s", (typed, message, at) => {
    expect(sets(typed, { message, at })).toBe(false);
  });
});

describe("the clock of a place", () => {
  test.each([
    ["Remind me tomorrow at 9 am Tokyo time to call Ken", "call Ken", "2026-11-17T01:00"],
    ["Erinnere mich morgen um 9 Uhr Tokioter Zeit an Ken", "Ken", "2026-11-17T01:00"],
    ["Erinnere mich morgen um 9 Uhr Londoner Zeit an Ken", "Ken", "2026-11-17T10:00"],
    ["Recuérdame mañana a las 9 hora de Tokio llamar a Ken", "llamar a Ken", "2026-11-17T01:00"],
    ["Rappelle-moi demain à 9 h heure de New York d'appeler Ken", "appeler Ken", "2026-11-17T15:00"],
    ["东京时间明天9点提醒我给健打电话", "给健打电话", "2026-11-17T01:00"],
    ["ニューヨーク時間の明日9時にリマインドして、電話する", "電話する", "2026-11-17T15:00"],
    ["Remind me tomorrow at 3 pm EST to call Ken", "call Ken", "2026-11-17T21:00"],
  ])("%s", (typed, message, at) => {
    expect(sets(typed, { message, at })).toBe(true);
    // The same figures by the owner's own clock are another moment.
    const figures = /15:00|21:00/u.test(at) ? "2026-11-17T12:00" : "2026-11-17T09:00";
    expect(sets(typed, { message, at: figures })).toBe(false);
  });

  test("the call may name the zone itself, and then only the one that is meant", () => {
    const typed = "Remind me tomorrow at 9 am Tokyo time to call Ken";
    const input = { message: "call Ken", at: "2026-11-17T09:00" };
    expect(sets(typed, { ...input, timeZone: "Asia/Tokyo" })).toBe(true);
    expect(sets(typed, { ...input, timeZone: "America/New_York" })).toBe(false);
    const plain = "Remind me tomorrow at 9 am to call Ken";
    expect(sets(plain, { ...input, timeZone: "Europe/Berlin" })).toBe(true);
    expect(sets(plain, { ...input, timeZone: "Asia/Tokyo" })).toBe(false);
    expect(sets(plain, { ...input, at: "2026-11-17T09:00+01:00" })).toBe(true);
    expect(sets(plain, { ...input, at: "2026-11-17T09:00Z" })).toBe(false);
    expect(sets(plain, { ...input, timeZone: "Mars/Base" })).toBe(false);
  });

  test("of a place that nobody knows, no time is said", () => {
    const typed = "Remind me tomorrow at 9 am Gondor time to call Ken";
    expect(sets(typed, { message: "call Ken", at: "2026-11-17T09:00" })).toBe(false);
  });
});

describe("moving what has a time", () => {
  const names: CallNames = {
    called: {
      name: ["Call the dentist", "dentist", "reminder", "Erinnerung", "recordatorio", "rappel", "提醒"],
    },
    before: { at: "2026-11-18 09:00" },
  };
  const moves = (typed: string, at: string) =>
    authorise(
      UPDATE,
      { name: "Call the dentist", at },
      { typed: [typed], seen: [], today: ["2026-11-16"], clock: CLOCK },
      names,
    ).authorised;

  test.each([
    ["Move the dentist reminder to 5 pm", "2026-11-18T17:00"],
    ["Move the dentist reminder to Friday", "2026-11-20T09:00"],
    ["Reschedule the dentist reminder to Friday at 10", "2026-11-20T10:00"],
    ["Postpone the dentist reminder by an hour", "2026-11-18T10:00"],
    ["Make the dentist reminder an hour later", "2026-11-18T10:00"],
    ["Push the dentist reminder back by 30 minutes", "2026-11-18T09:30"],
    ["Change the dentist reminder to half past eight", "2026-11-18T08:30"],
    ["Verschieb die Erinnerung auf 17 Uhr", "2026-11-18T17:00"],
    ["Verschiebe die Erinnerung um eine Stunde nach hinten", "2026-11-18T10:00"],
    ["Verschieb die Erinnerung auf Freitag", "2026-11-20T09:00"],
    ["Mueve el recordatorio a las 17:00", "2026-11-18T17:00"],
    ["Aplaza el recordatorio una hora más tarde", "2026-11-18T10:00"],
    ["Décale le rappel à 17 h", "2026-11-18T17:00"],
    ["Déplace le rappel à vendredi", "2026-11-20T09:00"],
    ["把提醒改到下午五点", "2026-11-18T17:00"],
    ["把提醒推迟一个小时", "2026-11-18T10:00"],
  ])("%s", (typed, at) => {
    expect(moves(typed, at)).toBe(true);
  });

  test.each([
    ["Move the dentist reminder to 5 pm", "2026-11-19T17:00"],
    ["Move the dentist reminder to Friday", "2026-11-20T15:00"],
    ["Postpone the dentist reminder by an hour", "2026-11-18T11:00"],
    ["When is the dentist reminder? At 5 pm?", "2026-11-18T17:00"],
    ["Do not move the dentist reminder to 5 pm", "2026-11-18T17:00"],
    ["Move the piano lesson to 5 pm", "2026-11-18T17:00"],
  ])("not otherwise: %s %s", (typed, at) => {
    expect(moves(typed, at)).toBe(false);
  });
});
