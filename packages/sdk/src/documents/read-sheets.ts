import { attribute, markupTokens } from "./markup.ts";
import type { DocumentRead } from "./read-document.ts";
import { relationsOf, resolved } from "./relations.ts";
import { TextLines } from "./text-lines.ts";
import { Unreadable } from "./unreadable.ts";
import type { Zip } from "./zip.ts";

const WORKBOOK = "xl/workbook.xml";
const COLUMNS_MAX = 16_384;
/** Empty rows in between are kept, so that rows stay where they were, up to so many. */
const GAP_MAX = 20;

/** A workbook, sheet by sheet: one line a row, its cells between tabs, formulas by what they came to. */
export function readSheets(zip: Zip, charsMax: number): DocumentRead {
  const workbook = zip.text(WORKBOOK);
  if (workbook === undefined) throw new Unreadable("damaged", "it has no list of sheets");
  const targets = relationsOf(zip, WORKBOOK);
  const strings = sharedStrings(zip.text("xl/sharedStrings.xml") ?? "");
  const dates = dateStyles(zip.text("xl/styles.xml") ?? "");
  const lines = new TextLines(charsMax);
  let sheets = 0;
  let from1904 = false;
  for (const token of markupTokens(workbook, "xml")) {
    if (token.kind !== "open") continue;
    if (token.name.endsWith("workbookPr"))
      from1904 = /^(?:1|true)$/.test(attribute(token.attributes, "date1904") ?? "");
    if (!/(?:^|:)sheet$/.test(token.name)) continue;
    sheets += 1;
    if (lines.full) continue;
    const name = attribute(token.attributes, "name") ?? String(sheets);
    const hidden = (attribute(token.attributes, "state") ?? "visible") === "visible" ? "" : ", hidden";
    const target = targets.get(attribute(token.attributes, "r:id") ?? "");
    const xml = target === undefined ? undefined : zip.text(resolved(WORKBOOK, target));
    const rows = xml === undefined ? [] : rowsOf(xml, { strings, dates, from1904 });
    const size = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
    lines.add(`${sheets > 1 ? "\n" : ""}[Sheet ${sheets}: ${name}, ${size}${hidden}]`);
    for (const row of rows) lines.add(row.join("\t"));
  }
  const macros = zip.names.some((name) => name.endsWith("vbaProject.bin"));
  return { kind: "sheets", text: lines.text(), cut: lines.full, pages: sheets, ...(macros && { macros }) };
}

interface Values {
  readonly strings: readonly string[];
  readonly dates: ReadonlySet<number>;
  readonly from1904: boolean;
}

function rowsOf(xml: string, values: Values): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = { column: 0, type: "n", style: 0 };
  let into: "value" | "formula" | "inline" | undefined;
  let [value, formula, inline] = ["", "", ""];
  for (const token of markupTokens(xml, "xml")) {
    if (token.kind === "text") {
      if (into === "value") value += token.text;
      else if (into === "formula") formula += token.text;
      else if (into === "inline") inline += token.text;
      continue;
    }
    const name = token.name.replace(/^\w+:/, "");
    if (token.kind === "open") {
      if (name === "row") {
        const number = Number(attribute(token.attributes, "r") ?? rows.length + 1);
        for (let gap = 0; rows.length < number - 1 && gap < GAP_MAX; gap++) rows.push([]);
        row = [];
        if (token.closed) rows.push(row);
      } else if (name === "c") {
        const place = attribute(token.attributes, "r");
        cell = {
          column: place === undefined ? row.length : columnOf(place),
          type: attribute(token.attributes, "t") ?? "n",
          style: Number(attribute(token.attributes, "s") ?? 0),
        };
        [value, formula, inline] = ["", "", ""];
      } else if (token.closed) continue;
      else if (name === "v") into = "value";
      else if (name === "f") into = "formula";
      else if (name === "t") into = "inline";
      continue;
    }
    if (name === "v" || name === "f" || name === "t") into = undefined;
    else if (name === "row") rows.push(row);
    else if (name === "c") {
      const shown = cellText(cell, value, values) || inline || (formula === "" ? "" : `=${formula}`);
      if (shown === "" || cell.column >= COLUMNS_MAX) continue;
      while (row.length < cell.column) row.push("");
      row[cell.column] = shown.replaceAll(/[\t\r\n]+/g, " ");
    }
  }
  while (rows.at(-1)?.length === 0) rows.pop();
  return rows;
}

function cellText({ type, style }: { type: string; style: number }, value: string, values: Values): string {
  if (value === "") return "";
  if (type === "s") return values.strings[Number(value)] ?? "";
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "n" || !values.dates.has(style)) return value;
  return dayText(Number(value) + (values.from1904 ? 1462 : 0)) ?? value;
}

const DAY_MS = 24 * 60 * 60_000;
/** Day 0 of a sheet's calendar, which takes 1900 for a leap year. */
const DAY_ZERO = Date.UTC(1899, 11, 30);

function dayText(days: number): string | undefined {
  if (!Number.isFinite(days) || days < 0 || days > 2_958_466) return undefined;
  const iso = new Date(Math.round((DAY_ZERO + days * DAY_MS) / 1_000) * 1_000).toISOString();
  const time = iso.slice(11, 19);
  if (days < 1) return time;
  return time === "00:00:00" ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}

function columnOf(place: string): number {
  const letters = /^[A-Z]{1,3}/.exec(place.toUpperCase())?.[0] ?? "A";
  return Array.from(letters).reduce((sum, c) => sum * 26 + (c.codePointAt(0)! - 64), 0) - 1;
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = "";
  let reading = false;
  let phonetic = false;
  for (const token of markupTokens(xml, "xml")) {
    if (token.kind === "text") {
      if (reading && !phonetic) text += token.text;
      continue;
    }
    const name = token.name.replace(/^\w+:/, "");
    const opens = token.kind === "open" && !token.closed;
    if (name === "t") reading = opens;
    else if (name === "rPh") phonetic = opens;
    else if (name === "si") {
      if (token.kind === "close" || token.closed) strings.push(text);
      text = "";
    }
  }
  return strings;
}

/** Which of the styles of cells show a number as a day or a time. */
function dateStyles(xml: string): ReadonlySet<number> {
  const custom = new Set<number>();
  const dates = new Set<number>();
  let index = -1;
  let inCells = false;
  for (const token of markupTokens(xml, "xml")) {
    if (token.kind === "text") continue;
    const name = token.name.replace(/^\w+:/, "");
    if (name === "cellXfs") inCells = token.kind === "open";
    if (token.kind !== "open") continue;
    const id = Number(attribute(token.attributes, "numFmtId") ?? 0);
    if (name === "numFmt") {
      const code = (attribute(token.attributes, "formatCode") ?? "").replaceAll(
        /"[^"]*"|\[[^\]]*\]|\\./g,
        "",
      );
      if (/[dyhs]/i.test(code)) custom.add(id);
    } else if (name === "xf" && inCells) {
      index += 1;
      if ((id >= 14 && id <= 22) || (id >= 45 && id <= 47) || custom.has(id)) dates.add(index);
    }
  }
  return dates;
}
