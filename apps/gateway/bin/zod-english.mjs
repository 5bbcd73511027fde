// In place of Zod's list of all languages, each of which is a file of its own.
export { default as en } from "zod/v4/locales/en.js";
