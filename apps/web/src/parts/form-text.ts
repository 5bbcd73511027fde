/** What was written into a field of a form, without blanks around it; "" where there is none. */
export function textIn(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value.trim() : "";
}
