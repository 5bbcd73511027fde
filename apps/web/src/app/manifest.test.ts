import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const file = (name: string) => readFileSync(new URL(`../../public/${name}`, import.meta.url));

/** Width and height, as they stand in the head of a PNG. */
const sizeOf = (png: Buffer) => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;

test("the page can be installed: each icon of the manifest is there, in the size it says, one for any shape", () => {
  const manifest = JSON.parse(file("manifest.webmanifest").toString()) as {
    display: string;
    icons: { src: string; sizes: string; type: string; purpose: string }[];
  };
  expect(manifest.display).toBe("standalone");
  const pictures = manifest.icons.filter(({ type }) => type === "image/png");
  expect(pictures.map(({ src, sizes }) => [sizeOf(file(src.slice(1))), sizes])).toEqual(
    pictures.map(({ sizes }) => [sizes, sizes]),
  );
  expect(pictures.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    "192x192 any",
    "512x512 any",
    "512x512 maskable",
  ]);
  expect(sizeOf(file("apple-touch-icon.png"))).toBe("180x180");
});
