/** A chat in a page, without a framework: a form, and a list of what was said. */
import type { Assistant } from "@elwood/sdk";

export function mount(assistant: Assistant, form: HTMLFormElement, said: HTMLElement): void {
  const conversation = assistant.openConversation(assistant.newConversationId());
  const add = (text: string) =>
    said.appendChild(Object.assign(document.createElement("p"), { textContent: text }));
  const send = async (prompt: string) => {
    add(prompt);
    const answer = add("");
    for await (const event of conversation.stream(prompt)) {
      if (event.type === "text_delta")
        answer.textContent = (event.reset ? "" : answer.textContent) + event.text;
      if (event.type === "human_input_required") answer.textContent = `Waiting for: ${event.prompt}`;
      if (event.type === "error") answer.textContent = event.message;
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const prompt = new FormData(form).get("prompt");
    form.reset();
    if (typeof prompt === "string" && prompt.trim() !== "") void send(prompt);
  });
}
