import { ACTING } from "./acting.ts";
import { ASKING } from "./asking.ts";
import { COMMANDS } from "./commands.ts";
import { TALKING } from "./talking.ts";

export const RUNS = [...TALKING, ...ACTING, ...ASKING, ...COMMANDS];
