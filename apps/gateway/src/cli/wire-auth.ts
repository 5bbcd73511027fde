import type { Command } from "commander";
import type { Wiring } from "./program.ts";

export function addAuthCommands(_program: Command, _wiring: Wiring): void {}
