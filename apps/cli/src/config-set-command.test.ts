import type { MethodParams } from "@elwood/core/protocol/methods";
import { failure, FailureError } from "@elwood/core/base/failure";
import type { WireSetting } from "@elwood/core/protocol/settings-shapes";
import { expect, test } from "vitest";
import { listSettable, setConfig } from "./config-set-command.ts";
import { reporting } from "./failure-text.ts";
import { EXIT } from "./io.ts";
import { testGateway } from "./test-gateway.ts";
import { testIo } from "./test-io.ts";

const day: WireSetting = {
  key: "limits.dayCostUsd",
  kind: "number",
  value: 5,
  default: 20,
  origin: "config.yaml:3",
  effect: "now",
};
const plain = { unset: false, yes: false, json: false };

async function scene(setting: WireSetting, refuse = false) {
  return testGateway({
    "settings.get": () => ({ file: "/config.yaml", settings: [setting] }),
    "settings.set": (params: MethodParams<"settings.set">) => {
      if (refuse && params.confirm !== true)
        throw new FailureError(
          failure("INVALID_INPUT", "It lets more happen: say confirm: true to mean it."),
        );
      const restart = setting.effect === "restart";
      return { setting: { ...setting, value: params.value ?? setting.default }, restart };
    },
  });
}

test("config set changes a setting from what it is, and says what it is now", async () => {
  const { client, calls } = await scene(day);
  const io = testIo();
  const options = { ...plain, key: "limits.dayCostUsd", value: "3" };
  expect(await setConfig(io, { client }, options)).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toEqual({ key: "limits.dayCostUsd", value: 3, expected: 5 });
  expect(io.out()).toBe("limits.dayCostUsd is 3 now.\n");
});

test("config set --unset goes back to the default; what needs a restart says so", async () => {
  const { client, calls } = await scene({ ...day, effect: "restart" });
  const io = testIo();
  await setConfig(io, { client }, { ...plain, key: "limits.dayCostUsd", unset: true });
  expect(calls.at(-1)?.params).toMatchObject({ value: null });
  expect(io.out()).toBe("limits.dayCostUsd is 20 now. It counts with the next start.\n");
});

test("config set asks before it loosens, and --yes means it", async () => {
  const { client, calls } = await scene(day, true);
  const io = testIo();
  const options = { ...plain, key: "limits.dayCostUsd", value: "50" };
  expect(await reporting(io, false, () => setConfig(io, { client }, options))).toBe(EXIT.usage);
  expect(io.err()).toContain("Say --yes to mean it.");
  expect(await setConfig(io, { client }, { ...options, yes: true })).toBe(EXIT.ok);
  expect(calls.at(-1)?.params).toMatchObject({ value: 50, confirm: true });
});

test.each([
  ["switch", "off", false],
  ["models", "a/b, c/d", ["a/b", "c/d"]],
  ["folders", "~/notes:write,~/books", [{ path: "~/notes", write: true }, "~/books"]],
  ["folders", '[{"path": "/x", "write": true}]', [{ path: "/x", write: true }]],
  ["zone", "Europe/Berlin", "Europe/Berlin"],
] as const)("config set reads a value of the kind %s: %s", async (kind, value, expected) => {
  const { client, calls } = await scene({ ...day, kind, value: null });
  await setConfig(testIo(), { client }, { ...plain, key: day.key, value });
  expect(calls.at(-1)?.params).toMatchObject({ value: expected });
});

test("a key never stands on the command line; it is asked for", async () => {
  const { client, calls } = await scene({ ...day, key: "web.search.key", kind: "secret", value: null });
  const io = testIo({ tty: true });
  const options = { ...plain, key: "web.search.key" };
  const given = { ...options, value: "BSA-key" };
  expect(await reporting(io, false, () => setConfig(io, { client }, given))).toBe(EXIT.usage);
  expect(calls).toHaveLength(1);
  await setConfig(io, { client, askSecret: async () => "BSA-key" }, options);
  expect(calls.at(-1)?.params).toMatchObject({ value: "BSA-key" });
  expect(io.out()).toBe("web.search.key is set now.\n");
});

test("config list shows what can be set, and when a change counts", async () => {
  const { client } = await scene({ ...day, fixed: "It is set by the variable X." });
  const io = testIo();
  expect(await listSettable(io, { client }, { json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("limits.dayCostUsd");
  expect(io.out()).toContain("not here");
});
