import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { isTimeZone } from "@elwood/core/base/local-time";
import { expect, test } from "vitest";
import { systemTimeZone } from "./system-time-zone.ts";
import { testFolder } from "../../test/config/test-folder.ts";

function machine(link?: string) {
  const f = testFolder();
  const files = { localtime: join(f.root, "localtime"), zones: join(f.root, "zoneinfo") };
  f.write("zoneinfo/Europe/Berlin", "");
  if (link !== undefined) symlinkSync(link, files.localtime);
  return files;
}

const asked = new Intl.DateTimeFormat().resolvedOptions().timeZone;

test("the zone is what TZ says, then what the link of the local time says", () => {
  expect(systemTimeZone({ TZ: "Europe/Berlin" }, machine("/usr/share/zoneinfo/Etc/UTC"))).toBe(
    "Europe/Berlin",
  );
  expect(systemTimeZone({}, machine("../usr/share/zoneinfo/Europe/Berlin"))).toBe("Europe/Berlin");
  expect(systemTimeZone({ TZ: "" }, machine("/usr/share/zoneinfo/Etc/UTC"))).toBe("UTC");
});

test("whatever is not plain is left to Intl, so that the answer is always a zone", () => {
  for (const TZ of [
    "Europe/Belrin",
    "CET-1CEST",
    ":Europe/Berlin",
    "posix/Europe/Berlin",
    "../../etc/passwd",
    "EST",
  ]) {
    const zone = systemTimeZone({ TZ }, machine());
    expect(zone, TZ).toBe(asked);
    expect(isTimeZone(zone)).toBe(true);
  }
  expect(systemTimeZone({}, machine())).toBe(asked);
  expect(systemTimeZone({}, machine("/usr/share/zoneinfo/Europe/Atlantis"))).toBe(asked);
});
