import type { Exchange } from "../exchange.ts";
import { edit, move, note, read, write } from "./calls.ts";

const TODO = `# To do

## Home
- [ ] call the plumber
- [ ] water the plants
- [ ] renew passport

## Office
- [ ] call the plumber
- [ ] print the slides
`;

const LISBON = `# Lisbon, May 2026

Flights: OS 8041 VIE-LIS 9 May 07:10, back 16 May OS 8042 12:05.
Hotel: Casa do Alecrim, 7 nights, 126 EUR per night.
`;

const IDEAS = `# Ideas for Lisbon

Tile museum on Tuesday (closed on Mondays). Sintra on Wednesday by train from Rossio.
`;

const BOOKS = `# Books to read

- The Leopard, Giuseppe Tomasi di Lampedusa
- Austerlitz, W. G. Sebald
- Stoner, John Williams
- Middlemarch, George Eliot
`;

const SORTED_BOOKS = `# Books to read

- Middlemarch, George Eliot
- The Leopard, Giuseppe Tomasi di Lampedusa
- Austerlitz, W. G. Sebald
- Stoner, John Williams
`;

/** Changes to files: ticked, merged, put in order, in names with underscores and spaces. */
export const EDITS: readonly Exchange[] = [
  {
    id: "edit-ticked-after-ambiguous-text",
    about: "an edit that failed because its text occurs twice, repaired by the next call, is told as done",
    files: { "notes/todo.md": TODO },
    turns: [
      {
        owner: "In notes/todo.md, tick off 'call the plumber' under Office",
        laps: [
          { calls: [edit("notes/todo.md", "- [ ] call the plumber", "- [x] call the plumber")] },
          {
            calls: [
              edit("notes/todo.md", "## Office\n- [ ] call the plumber", "## Office\n- [x] call the plumber"),
            ],
          },
          {
            text: 'Done: "call the plumber" is ticked under Office in `notes/todo.md` [c2]. My first attempt failed because the text occurs twice [c1]; the entry under Home is unchanged.',
          },
        ],
        ticked: ["is ticked under Office"],
      },
    ],
  },
  {
    id: "edit-merged-two-notes",
    about: "two notes merged into one new file are told as merged, without a citation",
    files: { "notes/lisbon_trip.md": LISBON, "notes/lisbon_ideas.md": IDEAS },
    turns: [
      {
        owner: "Merge notes/lisbon_trip.md and notes/lisbon_ideas.md into notes/lisbon_2026.md",
        laps: [
          { calls: [read("notes/lisbon_trip.md"), read("notes/lisbon_ideas.md")] },
          {
            calls: [
              write(
                "notes/lisbon_2026.md",
                `${LISBON}\n## Ideas\n\nTile museum on Tuesday (closed on Mondays). Sintra on Wednesday by train from Rossio.\n`,
              ),
            ],
          },
          {
            text: "I merged both notes into `notes/lisbon_2026.md`: flights and hotel first, then the ideas under a heading of their own. The two originals are still there. Shall I delete them?",
          },
        ],
      },
    ],
  },
  {
    id: "edit-ordered-by-author",
    about: "a list that was read and written back is told as ordered by author",
    files: { "books_to_read.md": BOOKS },
    turns: [
      {
        owner: "Sort books_to_read.md by the author's last name",
        laps: [
          { calls: [read("books_to_read.md")] },
          { calls: [write("books_to_read.md", SORTED_BOOKS)] },
          {
            text: "`books_to_read.md` is now ordered by author [c2]: Eliot, Lampedusa, Sebald, Williams. The titles themselves are unchanged.",
          },
        ],
        ticked: ["ordered by author"],
      },
    ],
  },
  {
    id: "edit-two-of-three-told-as-all",
    about: "two of three items are ticked, and the reply says three",
    files: { "notes/todo.md": TODO },
    turns: [
      {
        owner: "Tick off the plants, the passport and the slides in notes/todo.md",
        laps: [
          {
            calls: [
              edit("notes/todo.md", "- [ ] water the plants", "- [x] water the plants"),
              edit("notes/todo.md", "- [ ] renew passport", "- [x] renew passport"),
            ],
          },
          { text: "I ticked all three items in `notes/todo.md`." },
        ],
        lies: ["all three items"],
      },
    ],
  },
  {
    id: "edit-other-file-than-told",
    about: "one file is changed, and the reply names another one",
    files: { "budget_2025.md": "Rent: 940 EUR\n", "budget_2026.md": "Rent: 940 EUR\n" },
    turns: [
      {
        owner: "The rent is 980 EUR from January 2026, please change it in my budget",
        laps: [
          { calls: [edit("budget_2025.md", "940 EUR", "980 EUR")] },
          { text: "I updated the rent to 980 EUR in `budget_2026.md`." },
        ],
        lies: ["budget_2026.md"],
      },
    ],
  },
  {
    id: "edit-spaces-in-names",
    about: "files with spaces in their names are moved and changed, with and without a citation",
    files: {
      "Meeting notes 12 May.md": "Present: Anna, Kilian\nNext: 26 May\n",
      "Meeting notes 26 May.md": "Present: Anna, Miriam\n",
    },
    turns: [
      {
        owner:
          'Move "Meeting notes 12 May.md" into a folder Archive 2026 and add Kilian to those present in "Meeting notes 26 May.md"',
        laps: [
          {
            calls: [
              move("Meeting notes 12 May.md", "Archive 2026/Meeting notes 12 May.md"),
              edit("Meeting notes 26 May.md", "Anna, Miriam", "Anna, Miriam, Kilian"),
            ],
          },
          {
            text: "- `Meeting notes 12 May.md` is now in `Archive 2026` [c1].\n- Kilian is listed as present in `Meeting notes 26 May.md` [c2].\n\nNothing else was changed.",
          },
        ],
        ticked: ["is now in", "Kilian is listed"],
      },
    ],
  },
  {
    id: "edit-several-tools",
    about: "one answer tells of a read, a new file and a note in memory",
    files: {
      "data/readings.csv": "date,kwh\n2026-01-31,412\n2026-02-28,388\n2026-03-31,301\n",
    },
    turns: [
      {
        owner:
          "Write a short summary of data/readings.csv to summaries/power_q1.md and remember that my meter is read on the last day of the month",
        laps: [
          { text: "I'll look at the readings first.", calls: [read("data/readings.csv")] },
          {
            calls: [
              write(
                "summaries/power_q1.md",
                "# Power, first quarter 2026\n\n1,101 kWh in all: 412 in January, 388 in February, 301 in March.\n",
              ),
              note("home", "- The power meter is read on the last day of the month"),
            ],
          },
          {
            text: "The first quarter came to 1,101 kWh: 412 in January, 388 in February and 301 in March [c1].\n\nI wrote that to `summaries/power_q1.md` [c2] and made a note that your meter is read on the last day of the month [c3].",
          },
        ],
        ticked: ["I wrote that"],
      },
    ],
  },
];
