import packageJson from "../../gateway/package.json" with { type: "json" };

export const VERSION: string = packageJson.version;
