import { finding, ok, type Check } from "./finding.ts";

/** Whether commands run in a cage, and what follows where they cannot. */
export const commands: Check = {
  area: "commands",
  async run({ loaded, cage }) {
    if (!loaded.ok) return [];
    const found = await cage();
    if (found.ok) return [ok("commands.cage", "Commands run in a cage.", "bubblewrap")];
    const what = loaded.value.config.shell.requireCage
      ? "Commands are off because they cannot be caged here, and shell.requireCage is set."
      : "Commands cannot be caged here: none runs unasked, and one that you allow can do all that Elwood can.";
    const fix = found.reason.includes("not installed")
      ? "Install bubblewrap, for example with: apt install bubblewrap"
      : found.reason.includes("Linux")
        ? "Run Elwood on Linux to have commands caged, or set shell.requireCage: true to run none."
        : "Allow this user to make user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0; in a container, its seccomp profile).";
    return [finding("warning", "commands.cage", what, found.reason, fix)];
  },
};
