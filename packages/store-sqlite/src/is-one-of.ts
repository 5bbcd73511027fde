/** Compared one by one: for a list of values SQLite makes a table anew with each statement, and that costs more than all else of it. */
export function isOneOf(column: string, values: readonly string[]): string {
  return `(${values.map((value) => `${column} = '${value}'`).join(" OR ")})`;
}
