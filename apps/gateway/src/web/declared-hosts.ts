import type { GuardedDialer } from "./guarded-dialer.ts";

/**
 * The guarded dialer for a tool that says where it goes. Every hop is checked by it, so a
 * redirect leads nowhere else either. A bare name means https; anything else is written as an
 * exact origin.
 */
export function declaredOnly(dialer: GuardedDialer, hosts: readonly string[]): GuardedDialer {
  return {
    ...dialer,
    async check(url, signal) {
      const target = URL.parse(url);
      if (target === null || isDeclared(target, hosts)) return dialer.check(url, signal);
      const declared = hosts.length === 0 ? "It declares none" : `It declares ${hosts.join(", ")}`;
      const how = target.protocol === "https:" && target.port === "" ? target.hostname : target.origin;
      return {
        ok: false,
        rule: "hard.undeclared-host",
        reason: `The tool does not declare ${target.origin} among its hosts. ${declared}; add "${how}" to \`hosts\` in its defineTool().`,
      };
    },
  };
}

export function isDeclared(url: URL, hosts: readonly string[]): boolean {
  if (hosts.includes(url.origin)) return true;
  return url.protocol === "https:" && url.port === "" && hosts.includes(url.hostname);
}
