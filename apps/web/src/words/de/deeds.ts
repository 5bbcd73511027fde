import { GERMAN_DEEDS, type SpokenDeed } from "@elwood/core/tool/german-deeds";

export const deeds: Readonly<Record<string, SpokenDeed>> = GERMAN_DEEDS;
