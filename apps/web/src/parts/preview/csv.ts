const ROWS_MAX = 500;
const CELLS_MAX = 40;

export interface CsvRows {
  readonly rows: readonly (readonly string[])[];
  /** There is more than is shown. */
  readonly cut: boolean;
}

/** The rows of a CSV file: commas, semicolons or tabs, whichever its first line has most of; quotes as RFC 4180 has them. */
export function csvRows(text: string): CsvRows {
  const separator = separatorOf(text.slice(0, text.search(/\r?\n|$/)));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  let cut = false;
  const endCell = () => {
    if (row.length < CELLS_MAX) row.push(cell);
    else cut = true;
    cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const sign = text.charAt(i);
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(i + 1) === '"') cell += text.charAt(i++);
      else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === separator) endCell();
    else if (sign === "\n") {
      endCell();
      rows.push(row);
      row = [];
      if (rows.length >= ROWS_MAX) return { rows, cut: cut || i < text.length - 1 };
    } else if (sign !== "\r") cell += sign;
  }
  if (cell !== "" || row.length > 0) {
    endCell();
    rows.push(row);
  }
  return { rows, cut };
}

function separatorOf(line: string): string {
  const count = (sign: string) => line.split(sign).length;
  return [",", ";", "\t"].toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}
