import { safelyParse } from "@elwood/core/base/safe-parse";
import { parseModelRef } from "@elwood/core/model/model";
import { MINIMAL_TOOLS, PROMPT_SIZES, TOOL_SETS } from "@elwood/core/model/model-profile";
import { err, ok, type Result } from "@elwood/core/base/result";
import { z } from "zod";
import { readFileLayer, type Setting } from "../config/file-layer.ts";
import { group, listOf, numberAbove, numberFrom, oneOf, words } from "../config/leaves.ts";
import { describeFound, dotted, problemAt } from "../config/problem.ts";
import { parseSettingsFile } from "../config/yaml-file.ts";

/** `agent.yaml`, all of it optional. */
const agentSettingsSchema = group({
  name: words("a name").max(100, { error: "must be a name of at most 100 characters" }).optional(),
  description: words("a description")
    .max(1_000, { error: "must be a description of at most 1,000 characters" })
    .optional(),
  model: words("a model as provider/model")
    .refine((text) => parseModelRef(text).ok, {
      error: "must be a model as provider/model, for example anthropic/claude-sonnet-5-5",
    })
    .optional(),
  tools: z
    .union(
      [
        z.enum(TOOL_SETS),
        listOf(words("a tool's id or a pattern such as files.*"), "a list of tool ids").max(256, {
          error: "must be a list of at most 256 tool ids",
        }),
      ],
      { error: 'must be a list of tool ids, or one of "minimal", "standard", "all"' },
    )
    .optional(),
  prompt: oneOf(PROMPT_SIZES).optional(),
  calls: oneOf(["native", "programs", "both"]).optional(),
  temperature: numberFrom(0).max(2, { error: "must be a number from 0 to 2" }).optional(),
  topP: numberAbove(0).max(1, { error: "must be a number above 0, at most 1" }).optional(),
});
export type AgentSettings = z.infer<typeof agentSettingsSchema>;

/** Which tools an agent may use, as patterns; undefined means all. */
export function toolPatterns({ tools }: AgentSettings): readonly string[] | undefined {
  if (typeof tools !== "string") return tools;
  return tools === "minimal" ? MINIMAL_TOOLS : undefined;
}

/** The error is one sentence with file and line, for a person. */
export function parseAgentSettings(text: string, file: string): Result<AgentSettings, string> {
  const parsed = parseSettingsFile(text, file);
  const layer = readFileLayer(parsed.root, file, agentSettingsSchema, "none");
  const told = [...parsed.problems, ...layer.problems][0];
  if (told !== undefined) return err(told.text);
  const given = Object.fromEntries(layer.settings.map((setting) => [setting.path[0]!, setting.value]));
  const checked = safelyParse(agentSettingsSchema, given);
  if (checked.success) return ok(checked.data);
  const issue = checked.error.issues[0]!;
  const path = issue.path.map(String);
  const setting: Setting | undefined = layer.settings.find(({ path: [key] }) => key === path[0]);
  const place = setting?.place ?? { kind: "default" };
  const saying = `${issue.message}, found ${describeFound(setting?.value)}.`;
  return err(problemAt(place, dotted(path), saying).text);
}
