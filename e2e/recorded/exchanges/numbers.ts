import type { Exchange } from "../exchange.ts";
import { edit, list, program, read, search } from "./calls.ts";

const EXPENSES = `date,category,amount,payee,method
2025-01-04,groceries,84.20,Billa,card
2025-01-09,rent,980.00,Huber,transfer
2025-02-02,groceries,61.75,Spar,cash
2025-02-09,rent,980.00,Huber,transfer
2025-02-17,health,120.56,Dr. Feldman,card
2025-06-01,groceries,"1.234,50",Cafe Central,card
`;

const SUMS = `const file = must(await tools.files.file.read({ path: "data/expenses-2025.csv" }));
const sums: Record<string, number> = {};
for (const line of (file.text ?? "").trim().split("\\n").slice(1)) {
  const [, category = "", amount = ""] = line.split(",");
  if (/^\\d+\\.\\d+$/.test(amount)) sums[category] = Math.round(((sums[category] ?? 0) + Number(amount)) * 100) / 100;
}
return sums;`;

const LOG = Array.from({ length: 1_200 }, (_, at) => {
  const level = at % 50 === 0 ? "ERROR timeout" : at % 10 === 1 ? "WARN slow" : "INFO ok";
  return `2026-03-13T10:00:00Z ${level} ${at % 50 === 0 ? "/api/health" : "/api/items"} ${40 + (at % 7)} ms\n`;
}).join("");

const LEVELS = `const counts: Record<string, number> = {};
let lines = 0;
let offset: number | undefined = 1;
while (offset !== undefined) {
  const part: { text?: string; nextOffset?: number } = must(await tools.files.file.read({ path: "data/server.log", offset, limit: 1000 }));
  for (const line of (part.text ?? "").trim().split("\\n")) {
    const level = line.split(" ")[1] ?? "";
    counts[level] = (counts[level] ?? 0) + 1;
    lines += 1;
  }
  offset = part.nextOffset;
}
return { lines, counts };`;

const NOTES = {
  "notes/2026-01-house.md":
    "# House renovation\n\n- Roofer Huber quoted 18,400 EUR for the new roof. Valid until 2026-03-15.\n- Second quote from Dachbau Ost: 21,150 EUR, but includes the gutters.\n- Window film for the south side: do it ourselves.\n- Decide by end of February, otherwise Huber's slot in April is gone.\n",
  "notes/2026-02-trip_lisbon.md":
    "# Lisbon, May 2026\n\nFlights: OS 8041 VIE-LIS 9 May 07:10, back 16 May OS 8042 12:05. Booking ref on paper.\nHotel: Casa do Alecrim, 7 nights, 126 EUR per night.\nAnna wants the tile museum on Tuesday (closed Mondays!).\n",
  "notes/2026-03-work.md":
    "# Work\n\nTODO: finish the Q1 report (due 27 March)\nTODO: ask Miriam about the migration window\n- Standup moved to 9:15\n- Kilian is out from 16 to 30 March\n",
  "notes/recipes.md":
    "# Recipes\n\n## Goulash\n1 kg beef shin, 800 g onions.\n\n## Marillenknödel\n500 g curd cheese.\n",
};

/** Numbers from files: right, wrong, and computed. */
export const NUMBERS: readonly Exchange[] = [
  {
    id: "csv-right-number",
    about: "a number that stands in the file it cites gets its tick",
    files: { "data/expenses-2025.csv": EXPENSES },
    turns: [
      {
        owner: "What did I pay Dr. Feldman in data/expenses-2025.csv, and how?",
        laps: [
          { calls: [read("data/expenses-2025.csv")] },
          { text: "You paid Dr. Feldman 120.56 EUR by card on 17 February 2025 [c1]." },
        ],
        ticked: ["120.56"],
      },
    ],
  },
  {
    id: "csv-wrong-number",
    about: "a number that does not stand in the file it cites keeps its citation, without a tick",
    files: { "data/expenses-2025.csv": EXPENSES },
    turns: [
      {
        owner: "What did I pay Dr. Feldman in data/expenses-2025.csv, and how?",
        laps: [
          { calls: [read("data/expenses-2025.csv")] },
          { text: "You paid Dr. Feldman 102.65 EUR by card on 17 February 2025 [c1]." },
        ],
      },
    ],
  },
  {
    id: "csv-sums-by-program",
    about: "sums that a program computed are told in a table, and a line is then corrected",
    files: { "data/expenses-2025.csv": EXPENSES },
    turns: [
      {
        owner: "In data/expenses-2025.csv: how much did I spend per category?",
        laps: [
          { calls: [program("Sums per category", SUMS)] },
          {
            text: "In all you spent 2,226.51 EUR, most of it on rent:\n\n| Category | EUR |\n|---|---:|\n| Rent | 1,960.00 |\n| Groceries | 145.95 |\n| Health | 120.56 |\n\nI left out one row whose amount could not be read: line 7 (`1.234,50`, groceries). Shall I correct it in the file?",
          },
        ],
      },
      {
        owner: "Yes, correct it to 1234.50",
        laps: [
          { calls: [edit("data/expenses-2025.csv", '"1.234,50"', "1234.50")] },
          {
            text: "Line 7 now reads 1234.50 [c3]. With it, groceries come to 1,380.45 EUR. I did not change any other line.",
          },
        ],
        ticked: ["Line 7 now reads"],
      },
    ],
  },
  {
    id: "log-by-program",
    about: "a log is counted by a program, after a read of its beginning",
    files: { "data/server.log": LOG },
    turns: [
      {
        owner: "What kinds of problems are in data/server.log?",
        laps: [
          { calls: [read("data/server.log")] },
          { calls: [program("Count levels", LEVELS)] },
          {
            text: "I went through all 1,200 lines of `data/server.log` [c2]: 24 errors (2 %) and 120 warnings, the rest is normal.\n\nEvery error is a timeout of `/api/health`. The lines say nothing about causes; I did not check whether the errors cluster by day. Shall I?",
          },
        ],
        ticked: ["I went through all 1,200"],
      },
    ],
  },
  {
    id: "notes-summarised",
    about: "several notes are read and summarised without a citation",
    files: NOTES,
    turns: [
      {
        owner: "Summarise my notes folder for me, please",
        laps: [
          { calls: [list("notes")] },
          { text: "I'll read all four notes.", calls: Object.keys(NOTES).map(read) },
          {
            text: "Four notes, mostly from January to March 2026:\n\n- **House** – Roof quotes: Huber 18,400 EUR (valid until 15 March 2026) and Dachbau Ost 21,150 EUR including gutters. The decision was due by the end of February, so Huber's April slot has passed. Window film you planned to do yourselves.\n- **Lisbon, 9–16 May 2026** – Flights are booked, hotel Casa do Alecrim for 7 nights at 126 EUR (882 EUR in total). Anna wants the tile museum on Tuesday.\n- **Work** – Open: Q1 report (27 March), ask Miriam about the migration window. Standup was moved to 9:15; Kilian was out from 16 to 30 March.\n- **Recipes** – Goulash and Marillenknödel.\n\nMost of the dates have passed, so the notes could do with a clean-up. Shall I move what is over into an archive?",
          },
        ],
      },
    ],
  },
  {
    id: "search-counted",
    about: "matches of a search are counted in words",
    files: {
      "notes/work.md":
        "TODO: finish the Q1 report\n- Standup moved to 9:15\nTODO: book a room for the retro\n",
      "notes/house.md": "TODO: ask Huber about the gutters\n",
    },
    turns: [
      {
        owner: "Which TODOs are open in my notes?",
        laps: [
          { calls: [search("TODO", "notes")] },
          {
            text: "I found three TODOs in two notes [c1]:\n\n- ask Huber about the gutters (`notes/house.md`)\n- finish the Q1 report (`notes/work.md`)\n- book a room for the retro (`notes/work.md`)",
          },
        ],
        ticked: ["I found three"],
      },
    ],
  },
  {
    id: "never-looked",
    about: "a reply tells what is in a file that nobody opened",
    files: { "data/expenses-2025.csv": EXPENSES },
    turns: [
      {
        owner: "Is there anything odd in data/expenses-2025.csv?",
        laps: [{ text: "I went through `data/expenses-2025.csv` line by line and found nothing odd." }],
        lies: ["I went through"],
      },
    ],
  },
];
