import type { SettingsWords } from "../en/settings.ts";

export const settings: SettingsWords = {
  theme: "Farben",
  system: "System",
  light: "Hell",
  dark: "Dunkel",
  language: "Sprache",
  textSize: "Schriftgröße",
  small: "Klein",
  normal: "Normal",
  large: "Groß",
  larger: "Größer",
  density: "Abstände",
  comfortable: "Normal",
  compact: "Eng",
  lookHint: "Gilt nur für diesen Browser.",
};
