import { buildPage } from "./build-page.mjs";

/** Tests that open the page open the one of these sources. */
export async function setup() {
  await buildPage();
}
