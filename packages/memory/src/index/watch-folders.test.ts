import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { WatchedFolders } from "./watch-folders.ts";

function scene() {
  const root = mkdtempSync(join(tmpdir(), "elwood-watched-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const places = new Set<string | undefined>();
  const write = (place: string) => {
    mkdirSync(dirname(join(root, place)), { recursive: true });
    writeFileSync(join(root, place), `${places.size}\n`);
  };
  const watched = (withBelow = true) => {
    const folders = new WatchedFolders(root, (place) => places.add(place), { withBelow });
    onTestFinished(() => folders.close());
    return folders;
  };
  const tells = async (place: string) => {
    await expect.poll(() => [...places]).toContain(place);
    const told = [...places];
    places.clear();
    return told;
  };
  return { root, write, watched, tells };
}

test("what is made, changed, renamed and removed in a folder is told", async () => {
  const { root, write, watched, tells } = scene();
  write("a.md");
  watched();
  write("a.md");
  await tells("a.md");
  write("b.md");
  await tells("b.md");
  renameSync(join(root, "b.md"), join(root, "c.md"));
  await tells("c.md");
  rmSync(join(root, "a.md"));
  await tells("a.md");
});

test("folders below are watched: those that were there, those that come, and those that come back", async () => {
  const { root, write, watched, tells } = scene();
  write("home/garden/roses.md");
  watched();
  write("home/garden/roses.md");
  await tells("home/garden/roses.md");
  write("work/plans/q4.md");
  await tells("work/plans/q4.md");
  write("work/plans/q5.md");
  await tells("work/plans/q5.md");
  rmSync(join(root, "home"), { recursive: true });
  await tells("home");
  write("home/garden/roses.md");
  await tells("home/garden/roses.md");
  write("home/garden/tulips.md");
  await tells("home/garden/tulips.md");
});

test("only the folder itself where no other is wanted, and never what a link leads to", async () => {
  const { root, write, watched, tells } = scene();
  const elsewhere = scene();
  symlinkSync(elsewhere.root, join(root, "link"));
  write("below/x.md");
  watched(false);
  elsewhere.write("far.md");
  write("below/x.md");
  write("a.md");
  expect(await tells("a.md")).toEqual(["a.md"]);
  watched(true);
  elsewhere.write("far.md");
  write("below/x.md");
  expect((await tells("below/x.md")).filter((place) => place?.startsWith("link"))).toEqual([]);
});

test("nothing is told any more once it is closed", async () => {
  const { write, watched, tells } = scene();
  watched().close();
  write("a.md");
  watched();
  write("b.md");
  expect(await tells("b.md")).toEqual(["b.md"]);
});
