import { describe, expect, test } from "vitest";
import { OwnerWords } from "./owner-words.ts";
import { isNamed, type SeenResult } from "./records.ts";

const listed = (value: unknown, lists = "event"): SeenResult => ({
  callId: "call_1",
  toolId: "calendar.event.list",
  trust: "third_party",
  sensitive: false,
  lists,
  value,
});
const names = (id: string, says: string, value: unknown, kind = "event") =>
  isNamed(id, kind, [listed(value)], new OwnerWords([says]));
const event = (id: string, title: string, more: object = {}) => ({ id, title, ...more });

describe("an id stands for what the owner named", () => {
  test("where the list, whatever it is wrapped in, has a thing of that name", () => {
    const team = [event("e1", "Team lunch"), event("e2", "Dentist")];
    for (const value of [
      team,
      { events: team },
      { data: { events: team } },
      { items: team },
      { calendarEvents: team, page: [1] },
    ]) {
      expect(names("e1", "Move the team lunch to Friday", value)).toBe(true);
      expect(names("e2", "Cancel the dentist", value)).toBe(true);
      expect(names("e2", "Move the team lunch to Friday", value)).toBe(false);
    }
    expect(names("e1", "Move the team lunch", event("e1", "Team lunch"))).toBe(true);
  });

  test.each([
    ["an organiser", { organiser: { id: "e9", name: "Team lunch" } }],
    ["a guest in a list", { guests: [{ id: "e9", name: "Team lunch" }] }],
    ["an event inside of it", { series: { events: [{ id: "e9", title: "Team lunch" }] } }],
  ])("and not by %s that a listed thing mentions", (_what, inside) => {
    const value = { events: [event("e1", "Standup", inside)] };
    expect(names("e9", "Cancel the team lunch", value)).toBe(false);
  });

  test("and not by something beside the list", () => {
    const events = [event("e1", "Standup")];
    for (const beside of [
      { organiser: { id: "e9", name: "Team lunch" } },
      { people: [{ id: "e9", name: "Team lunch" }] },
    ])
      expect(names("e9", "Cancel the team lunch", { events, ...beside })).toBe(false);
    expect(
      names("e9", "Cancel the team lunch", {
        a: [{ id: "e1", title: "x" }],
        b: [{ id: "e9", name: "Team lunch" }],
      }),
      "where nothing tells which is the list, there is none",
    ).toBe(false);
  });

  test.each([
    ["please", "List my events please"],
    ["Please", "Please cancel my 3 pm"],
    ["my events", "Delete the old ones of my events"],
    ["list my events", "List my events please"],
    ["appointment", "Cancel the appointment with Kim"],
    ["today", "What is on today?"],
    ["bitte", "Lösch bitte den Termin mit Kim"],
    ["termin", "Lösch bitte den Termin mit Kim"],
    ["por favor", "Cancela la cita con Kim por favor"],
    ["s'il te plaît", "Annule le rendez-vous, s'il te plaît"],
    ["Thanks!", "Cancel the one with Kim, thanks"],
  ])("and not by “%s”, which stands in every request", (title, says) => {
    expect(names("e9", says, { events: [event("e1", "Standup"), event("e9", title)] })).toBe(false);
  });

  test("unless the owner sets such a word apart as a name", () => {
    const value = { events: [event("e9", "Please")] };
    for (const says of [
      'Cancel the event "please"',
      "Cancel the event “Please”",
      "Lösch den Termin „Please“",
    ])
      expect(names("e9", says, value), says).toBe(true);
  });

  test("and not by a part of what another thing is called that was meant", () => {
    const value = { events: [event("e1", "Dentist appointment"), event("e9", "Dentist")] };
    expect(names("e1", "Cancel the dentist appointment", value)).toBe(true);
    expect(names("e9", "Cancel the dentist appointment", value)).toBe(false);
    expect(names("e9", "Cancel the dentist", value)).toBe(true);
  });

  test("by a word that joins its name with what it is, unless another is called just that", () => {
    const value = { events: [event("e1", "Zahnarzt"), event("e2", "Chor")] };
    expect(names("e1", "Sag meinen Zahnarzttermin ab", value)).toBe(true);
    expect(names("e2", "Sag meinen Zahnarzttermin ab", value)).toBe(false);
    const both = { events: [event("e1", "Zahnarzt"), event("e9", "Zahnarzttermin")] };
    expect(names("e1", "Sag meinen Zahnarzttermin ab", both)).toBe(false);
    expect(names("e9", "Sag meinen Zahnarzttermin ab", both)).toBe(true);
  });
});
