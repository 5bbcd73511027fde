import { z } from "zod";

const time = () => z.string().min(10).max(35);
const WHEN = "2026-11-17T09:00 by the owner's clock, or with an offset; 2026-11-17 is a whole day.";
const eventId = () => z.string().min(1).max(1_000).describe("The id of an event, as the list has it.");
const calendarName = () => z.string().min(1).max(200);

export const listInput = z.strictObject({
  from: time().optional().describe(`${WHEN} Now where left out.`),
  to: time().optional().describe("A week later where left out; at most 400 days."),
  calendar: calendarName().optional(),
  search: z.string().min(1).max(200).optional().describe("Only events with these words."),
  limit: z.int().min(1).max(500).default(100),
});

export const event = z.strictObject({
  id: z.string(),
  calendar: z.string(),
  title: z.string(),
  start: z.string(),
  end: z.string(),
  allDay: z.boolean(),
  repeats: z.boolean(),
  location: z.string().optional(),
  description: z.string().optional(),
  /** How many people are invited. */
  people: z.number(),
});
export type ListedEvent = z.infer<typeof event>;

export const listOutput = z.strictObject({
  events: z.array(event),
  timeZone: z.string(),
  /** There are more than are listed. */
  more: z.boolean(),
  /** Entries that could not be read. */
  unreadable: z.number(),
});

export const calendarsOutput = z.strictObject({ calendars: z.array(z.strictObject({ name: z.string() })) });

const hourOfDay = () =>
  z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, { error: "must be a time such as 09:00" });

export const freeInput = z.strictObject({
  from: time().describe(WHEN),
  to: time(),
  minutes: z.int().min(5).max(1_440).default(30),
  dayStart: hourOfDay().default("09:00"),
  dayEnd: hourOfDay().default("18:00"),
  weekdays: z.boolean().default(false).describe("Monday to Friday only."),
});

export const freeOutput = z.strictObject({
  free: z.array(z.strictObject({ start: z.string(), end: z.string(), minutes: z.number() })),
  timeZone: z.string(),
});

export const createInput = z.strictObject({
  title: z.string().min(1).max(500),
  start: time().describe(WHEN),
  end: time().optional().describe("An hour later where left out, or the same day."),
  calendar: calendarName().optional().describe("The first one where left out."),
  location: z.string().min(1).max(500).optional(),
  description: z.string().min(1).max(10_000).optional(),
  repeat: z.string().min(1).max(300).optional().describe("An iCalendar rule such as FREQ=WEEKLY;COUNT=10."),
  timeZone: z
    .string()
    .max(64)
    .optional()
    .describe("Another zone than the owner's, such as America/New_York."),
});

/** What stands in the calendar now, and what stood there before, for putting it back. */
const changed = {
  id: z.string(),
  title: z.string(),
  calendar: z.string(),
  etag: z.string(),
  before: z.string().optional(),
};

export const createOutput = z.strictObject({ ...changed, start: z.string(), end: z.string() });

export const moveInput = z.strictObject({
  event: eventId(),
  start: time().describe(WHEN),
  end: time().optional().describe("As long as before where left out."),
  all: z.boolean().default(false).describe("All times of a series; its day stays."),
});
export const moveOutput = z.strictObject({ ...changed, start: z.string(), end: z.string() });

export const deleteInput = z.strictObject({
  event: eventId(),
  all: z.boolean().default(false).describe("All times of a series."),
});
export const deleteOutput = z.strictObject(changed);

export const remindInput = z.strictObject({
  event: eventId(),
  minutesBefore: z.int().min(0).max(40_320).default(15),
});
export const remindOutput = z.strictObject({ id: z.string(), name: z.string(), when: z.string() });
