import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { at } from "./owner-task.ts";

interface Folder {
  readonly texts: Readonly<Record<string, string>>;
  readonly photos: readonly string[];
  /** A PNG, in base64. */
  readonly picture: string;
}

/** The owner's folder as it was before the first task: notes, a log, expenses, invoices, photos and a git repository. */
export function fillFolder(folder: string): void {
  const { texts, photos, picture } = JSON.parse(readFileSync(at("folder.json"), "utf8")) as Folder;
  const large = JSON.parse(gunzipSync(readFileSync(at("large-files.json.gz"))).toString("utf8")) as Record<
    string,
    string
  >;
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  for (const [path, text] of Object.entries({ ...texts, ...large })) put(path, text);
  for (const [i, name] of photos.entries()) put(join("photos", name), `fake jpeg ${i}\n`);
  put("photos/red.png", Buffer.from(picture, "base64"));
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Owner", "-c", "user.email=owner@home.example", ...args], {
      cwd: join(folder, "site"),
    });
  const page = (items: readonly string[]) =>
    `<h1>Garden</h1>\n<p>Welcome to the garden</p>\n<ul>\n${items.map((item) => `<li>${item}</li>\n`).join("")}</ul>\n`;
  put("site/index.html", page(["Roses"]));
  git("init", "-q");
  git("config", "user.name", "Owner");
  git("config", "user.email", "owner@home.example");
  git("add", "-A");
  git("commit", "-qm", "list of plants");
  put("site/index.html", page(["Roses", "Tomatoes"]));
}
