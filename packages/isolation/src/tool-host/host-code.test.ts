import { expect, test } from "vitest";
import { readOwnCode } from "./host-code.ts";

test("what a process for tools is sent imports nothing that is not sent with it", () => {
  const { modules, aliases } = readOwnCode();
  const missing = Object.entries(modules).flatMap(([url, source]) =>
    [...source.matchAll(/^(?:import|export)\b[^;"]*?from "([^"]+)"/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => name !== "zod" && !name.startsWith("node:"))
      .filter((name) => !((aliases[name] ?? URL.parse(name, url)?.href ?? "") in modules))
      .map((name) => `${url.split("/").at(-1)} imports ${name}`),
  );
  expect(missing).toEqual([]);
});
