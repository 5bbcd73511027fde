import { expect, test } from "vitest";
import { declaredOnly } from "./declared-hosts.ts";
import type { GuardedDialer } from "./guarded-dialer.ts";

const dialer: GuardedDialer = {
  judge: () => undefined,
  check: async () => ({ ok: true, host: "h", port: 443, addresses: ["93.184.216.34"], exempt: false }),
  checkHost: async () => Promise.reject(new Error("not asked for")),
  connect: async () => Promise.reject(new Error("not asked for")),
  dial: async () => Promise.reject(new Error("not asked for")),
};

test.each([
  ["https://api.example.com/x", true],
  ["https://api.example.com:443/x", true],
  ["http://192.168.1.20:8123/x", true],
  ["http://api.example.com/x", false],
  ["https://api.example.com:8443/x", false],
  ["https://example.com/x", false],
  ["https://api.example.com.evil.example/x", false],
  ["https://evil.example/api.example.com", false],
  ["http://192.168.1.20/x", false],
  ["https://192.168.1.20:8123/x", false],
])("a tool that declares two places reaches %s: %s", async (url, may) => {
  const limited = declaredOnly(dialer, ["api.example.com", "http://192.168.1.20:8123"]);
  const checked = await limited.check(url);
  expect(checked.ok).toBe(may);
  if (!checked.ok) {
    expect(checked.rule).toBe("hard.undeclared-host");
    expect(checked.reason).toContain("It declares api.example.com, http://192.168.1.20:8123");
  }
});

test("one that declares none reaches none, and is told how to declare it", async () => {
  const checked = await declaredOnly(dialer, []).check("https://api.example.com/x");
  expect(checked).toMatchObject({
    ok: false,
    reason: expect.stringContaining('It declares none; add "api.example.com" to `hosts`'),
  });
});
