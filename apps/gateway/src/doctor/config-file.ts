import type { LoadedConfig } from "../config/load.ts";
import { leavesOf } from "../config/origins.ts";
import type { Notice } from "../config/problem.ts";
import { DEFAULTS } from "../config/schema.ts";
import { counted } from "@elwood/core/base/relative-time";
import { finding, ok, type Check, type Finding } from "./finding.ts";

/** What is wrong in the configuration, key by key, and what is right but worth knowing. */
export const configFile: Check = {
  area: "config",
  async run({ loaded, paths }) {
    if (!loaded.ok) {
      return loaded.error.map((problem) =>
        finding(
          "error",
          "config.problem",
          problem.text,
          problem.file ?? problem.key ?? paths.config,
          problem.file === undefined
            ? "Set it right, then: elwood config show --origin"
            : `Edit ${problem.file}${problem.line === undefined ? "" : `, line ${problem.line}`}.`,
        ),
      );
    }
    const { file, notices } = loaded.value;
    const set = ownSettings(loaded.value);
    const read =
      file === undefined
        ? ok("config.file", "No configuration file is there yet; the first start writes one.", paths.config)
        : ok(
            "config.file",
            "The configuration is right.",
            set === 0
              ? `${file}, nothing differs from what Elwood comes with`
              : `${file}, ${counted(set, "setting")} of your own`,
          );
    return [read, ...notices.filter((notice) => !isAboutModelLife(notice)).map(noticeFinding)];
  },
};

/** Of those in the file. A line of the first start's that stands there with its default is nobody's own. */
function ownSettings({ config, origins }: LoadedConfig): number {
  const usual = new Map(leavesOf(DEFAULTS).map(({ path, value }) => [path.join("."), JSON.stringify(value)]));
  return leavesOf(config).filter(({ path, value }) => {
    const key = path.join(".");
    const origin = origins.get(key) ?? "default";
    return !/^(?:default|environment|flag)\b/.test(origin) && usual.get(key) !== JSON.stringify(value);
  }).length;
}

/** The check of the model says this itself. */
function isAboutModelLife({ kind, key }: Notice): boolean {
  return kind === "warning" && (key === "model" || key === "compactionModel");
}

function noticeFinding(notice: Notice): Finding {
  const evidence = notice.key ?? "";
  if (notice.kind === "no-effect") return finding("info", "config.no-effect", notice.text, evidence, "");
  return finding("warning", `config.${notice.kind}`, notice.text, evidence, "elwood config show --origin");
}
