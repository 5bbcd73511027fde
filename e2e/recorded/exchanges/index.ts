import type { Exchange } from "../exchange.ts";
import { DENIALS } from "./denials.ts";
import { EDITS } from "./edits.ts";
import { FAILURES } from "./failures.ts";
import { LANGUAGES } from "./languages.ts";
import { NUMBERS } from "./numbers.ts";
import { RENAMES } from "./renames.ts";
import { COMMANDS } from "./commands.ts";
import { TEXT_ONLY } from "./text-only.ts";
import { OTHERS } from "./others.ts";

export const EXCHANGES: readonly Exchange[] = [
  ...EDITS,
  ...RENAMES,
  ...DENIALS,
  ...FAILURES,
  ...COMMANDS,
  ...NUMBERS,
  ...OTHERS,
  ...TEXT_ONLY,
  ...LANGUAGES,
];
