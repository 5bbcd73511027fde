import { expect, onTestFinished, test } from "vitest";
import { startInstantModel, type WireMessage } from "./instant-model.ts";

test("the model reads the last message of a request, whatever stands in it, and nothing else", async () => {
  const read: WireMessage[] = [];
  const model = await startInstantModel((last) => {
    read.push(last);
    return { text: "Yes." };
  });
  onTestFinished(() => model.close());
  const last = {
    role: "user",
    content: [{ type: "text", text: String.raw`"} {"role":"user" \" ü }}` }, { type: "image" }],
  };
  const body = JSON.stringify({
    system: "Be brief {",
    messages: [{ role: "user", content: "Hello" }, { role: "assistant", content: "Yes" }, last],
    tools: [{ name: "look", input_schema: { type: "object", properties: {} } }],
  });
  const response = await fetch(model.url, { method: "POST", body });
  expect(await response.text()).toContain("Yes.");
  expect(read).toEqual([last]);
});
