import type { Command } from "commander";
import type { Wiring } from "./program.ts";

export function addSessionCommands(_program: Command, _wiring: Wiring): void {}
