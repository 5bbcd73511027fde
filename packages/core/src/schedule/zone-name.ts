import { isTimeZone } from "../base/local-time.ts";

/** The time zone that a name means: its own, such as `Asia/Tokyo`, or that of the city it is called after, such as `New York`. */
export function zoneNamed(name: string): string | undefined {
  const text = name.trim();
  if (isTimeZone(text)) return text;
  const city = plain(text);
  const found = Intl.supportedValuesOf("timeZone").filter((zone) => plain(zone.split("/").at(-1)!) === city);
  return found.length === 1 ? found[0] : undefined;
}

function plain(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("_", " ").toLowerCase();
}
