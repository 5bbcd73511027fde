import { spoken } from "../language.ts";

const ENGLISH = {
  theme: "Theme",
  system: "System",
  light: "Light",
  dark: "Dark",
  language: "Language",
  textSize: "Text size",
  small: "Small",
  normal: "Normal",
  large: "Large",
  larger: "Larger",
  density: "Spacing",
  comfortable: "Comfortable",
  compact: "Compact",
  lookHint: "These hold for this browser.",
};
export type SettingsWords = typeof ENGLISH;

export const say: SettingsWords = spoken("settings", ENGLISH);
