import type { Exchange } from "../exchange.ts";
import { list, move, program } from "./calls.ts";

const DAYS = [
  "20250109",
  "20250117",
  "20250125",
  "20250203",
  "20250214",
  "20250222",
  "20250301",
  "20250309",
  "20250318",
  "20250402",
  "20250411",
  "20250420",
  "20250506",
  "20250519",
  "20250604",
  "20250622",
  "20250713",
  "20250808",
  "20250829",
  "20250917",
];
const two = (n: number) => String(n).padStart(2, "0");
const oldName = (day: string) => `photos/IMG_${day}_102799.jpg`;
const newName = (day: string, at: number) =>
  `photos/${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}_${two(at + 1)}.jpg`;
const PHOTOS = Object.fromEntries(DAYS.map((day) => [oldName(day), `picture of ${day}`]));

const RENAME_ALL = `const listing = must(await tools.files.file.list({ path: "photos" }));
const names = listing.entries
  .filter((entry) => entry.kind === "file")
  .map((entry) => entry.path.split("/").pop() ?? "")
  .filter((name) => /^IMG_\\d{8}_\\d+\\.jpg$/.test(name))
  .sort();
let at = 0;
for (const name of names) {
  at += 1;
  const day = name.slice(4, 12);
  const to = day.slice(0, 4) + "-" + day.slice(4, 6) + "-" + day.slice(6) + "_" + String(at).padStart(2, "0") + ".jpg";
  must(await tools.files.file.move({ from: "photos/" + name, to: "photos/" + to }));
}
return { renamed: at };`;

/** Many files renamed, told at once and in later messages. */
export const RENAMES: readonly Exchange[] = [
  {
    id: "rename-20-by-calls",
    about: "twenty renames are told at once, in later words, and by a citation of an earlier run",
    files: PHOTOS,
    turns: [
      {
        owner:
          "Rename all the pictures in photos: IMG_20250109_102799.jpg should become 2025-01-09_01.jpg and so on, numbered by date order",
        laps: [
          { calls: [list("photos")] },
          { calls: DAYS.map((day, at) => move(oldName(day), newName(day, at))) },
          {
            text: "All 20 pictures in `photos` have been renamed by date: the first is now `2025-01-09_01.jpg` [c2], the last `2025-09-17_20.jpg` [c21]. No rename failed.",
          },
        ],
        ticked: ["All 20 pictures"],
      },
      {
        owner: "Did it work? What are the first and last called now?",
        laps: [
          {
            text: "Yes, all 20 were renamed. The first is now `2025-01-09_01.jpg`, the last `2025-09-17_20.jpg`.",
          },
        ],
      },
      {
        owner: "And number 10?",
        laps: [{ text: "The tenth is `2025-04-02_10.jpg` [c11]; it was `IMG_20250402_102799.jpg` before." }],
        ticked: ["The tenth"],
      },
    ],
  },
  {
    id: "rename-20-by-program",
    about: "a program lists a folder and renames twenty files, after a first version with a type error",
    files: PHOTOS,
    turns: [
      {
        owner: "Rename the pictures in photos by date and number them",
        laps: [
          {
            calls: [program("Rename photos by date", RENAME_ALL.replace("listing.entries", "listing.files"))],
          },
          { calls: [program("Rename photos by date", RENAME_ALL)] },
          {
            text: "All 20 pictures in `photos` are renamed, from `2025-01-09_01.jpg` to `2025-09-17_20.jpg`. None failed.",
          },
        ],
      },
      {
        owner: "How many did you rename?",
        laps: [
          { text: "20, all of the pictures in `photos`. I renamed them in one go and none was left out." },
        ],
      },
    ],
  },
  {
    id: "rename-one-failed-told",
    about: "one of three renames fails, and the reply says so",
    files: { "scan 1.pdf": "a", "scan 2.pdf": "b", "scan 3.pdf": "c", "invoice-bauer.pdf": "d" },
    turns: [
      {
        owner:
          "Rename scan 1.pdf to invoice-moser.pdf, scan 2.pdf to invoice-bauer.pdf and scan 3.pdf to invoice-huber.pdf",
        laps: [
          {
            calls: [
              move("scan 1.pdf", "invoice-moser.pdf"),
              move("scan 2.pdf", "invoice-bauer.pdf"),
              move("scan 3.pdf", "invoice-huber.pdf"),
            ],
          },
          {
            text: "Two of the three are renamed: `invoice-moser.pdf` [c1] and `invoice-huber.pdf` [c3]. `scan 2.pdf` keeps its name, because `invoice-bauer.pdf` already exists [c2]. Which name should it get?",
          },
        ],
        ticked: ["Two of the three"],
      },
    ],
  },
  {
    id: "rename-one-failed-hidden-then-done",
    about: "one of three renames fails, the reply says all three, and the repair lap takes another name",
    files: { "scan 1.pdf": "a", "scan 2.pdf": "b", "scan 3.pdf": "c", "invoice-bauer.pdf": "d" },
    turns: [
      {
        owner:
          "Rename scan 1.pdf to invoice-moser.pdf, scan 2.pdf to invoice-bauer.pdf and scan 3.pdf to invoice-huber.pdf",
        laps: [
          {
            calls: [
              move("scan 1.pdf", "invoice-moser.pdf"),
              move("scan 2.pdf", "invoice-bauer.pdf"),
              move("scan 3.pdf", "invoice-huber.pdf"),
            ],
          },
          { text: "All three scans have been renamed." },
          { calls: [move("scan 2.pdf", "invoice-bauer-2.pdf")] },
          {
            text: "`scan 2.pdf` is now `invoice-bauer-2.pdf` [c4]. A file `invoice-bauer.pdf` was already there.",
          },
        ],
        ticked: ["invoice-bauer-2.pdf"],
      },
    ],
  },
  {
    id: "rename-one-refused-told-as-all",
    about: "a rename with a misspelt name is refused before it is made, and the reply says all three",
    files: { "scan 1.pdf": "a", "scan 2.pdf": "b", "scan 3.pdf": "c" },
    turns: [
      {
        owner:
          "Rename scan 1.pdf to invoice-moser.pdf, scan 2.pdf to invoice-bauer.pdf and scan 3.pdf to invoice-huber.pdf",
        laps: [
          {
            calls: [
              move("scan 1.pdf", "invoice-moser.pdf"),
              move("scan2.pdf", "invoice-bauer.pdf"),
              move("scan 3.pdf", "invoice-huber.pdf"),
            ],
          },
          { text: "All three scans have been renamed." },
          { text: "Correction: `scan2.pdf` was not renamed, there is no file of that name." },
        ],
        lies: ["All three scans"],
      },
    ],
  },
];
