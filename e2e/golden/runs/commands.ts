import { note, read, recall, remove, write } from "../../recorded/exchanges/calls.ts";
import type { GoldenRun } from "../golden-run.ts";

/** The command line, and whatever lists everything there is. */
export const COMMANDS: readonly GoldenRun[] = [
  {
    id: "ask-on-the-command-line",
    about: "a question from a shell, as text and as JSON, and what is wrong usage",
    own: {},
    async play(r) {
      r.scene.model.begin([{ text: "Hello from the model." }]);
      await r.cli(["say", "hello"]);
      r.scene.model.begin([{ text: "As JSON." }]);
      await r.cli(["-c", "--json", "again"], { json: true });
      r.scene.model.begin([{ calls: [read("nothing.txt")] }, { text: "There is no such file." }]);
      await r.cli(["-c", "--no-stream", "look"]);
      r.scene.model.begin([{ text: "Three words." }]);
      await r.cli(["-c", "count"], { stdin: "one two three\n" });
      await r.cli(["--no-such-flag"]);
      await r.cli(["sessions", "show", "nobody"]);
    },
  },
  {
    id: "approvals-on-the-command-line",
    about: "what waits is listed, shown, allowed and denied from a shell",
    own: {},
    async play(r) {
      r.files({ "a.txt": "a\n", "b.txt": "b\n" });
      const key = await r.session();
      const first = await r.send(key, "Tidy up.", [
        { calls: [remove("a.txt")] },
        { text: "I deleted `a.txt`." },
      ]);
      const card = await r.asked(first);
      await r.cli(["approvals", "list"]);
      await r.cli(["approvals", "show", card.approvalId]);
      await r.cli(["approvals", "allow", card.approvalId]);
      await r.ended(key, first);
      const second = await r.send(key, "And more.", [
        { calls: [write("c.txt", "made up")] },
        { text: "I did not write it." },
      ]);
      const other = await r.asked(second);
      await r.cli(["approvals", "deny", other.approvalId, "--note", "leave it"]);
      await r.ended(key, second);
      await r.cli(["approvals", "list", "--json"], { json: true });
      await r.cli(["grants", "list"]);
    },
  },
  {
    id: "sessions-on-the-command-line",
    about: "sessions are listed, shown, searched, renamed, forked, exported, deleted and restored",
    own: {},
    async play(r) {
      const key = await r.session();
      await r.run(key, "What is a quince?", [{ text: "A hard yellow fruit." }]);
      const second = await r.run(key, "And a medlar?", [{ text: "A small brown one." }]);
      await r.cli(["sessions", "rename", key, "Old", "fruit"]);
      await r.cli(["sessions", "list"]);
      await r.cli(["sessions", "list", "--json"], { json: true });
      await r.cli(["sessions", "show", key]);
      await r.cli(["sessions", "export", key]);
      await r.cli(["sessions", "export", key, "--format", "json"]);
      await r.cli(["sessions", "search", "medlar"]);
      await r.ask("sessions.fork", { sessionKey: key, runId: second, include: false });
      await r.cli(["sessions", "list"]);
      await r.cli(["sessions", "delete", key]);
      await r.cli(["sessions", "delete", key, "--yes"]);
      await r.ask("sessions.list", { deleted: true });
      await r.cli(["sessions", "restore", key]);
    },
  },
  {
    id: "receipts-on-the-command-line",
    about: "receipts are listed, shown, audited and verified",
    own: {},
    async play(r) {
      const key = await r.session();
      r.files({ "a.txt": "a\n" });
      await r.run(key, "Read a.txt and write 'b' into b.txt.", [
        { calls: [read("a.txt")] },
        { calls: [write("b.txt", "b")] },
        { text: "I read `a.txt` and wrote `b.txt`." },
      ]);
      await r.cli(["receipts", "list"]);
      await r.cli(["receipts", "list", "--json"], { json: true });
      await r.cli(["receipts", "show", "1"]);
      await r.cli(["receipts", "audit"]);
      await r.ask("receipts.verify");
      await r.cli(["receipts", "verify"]);
      await r.ask("receipts.head");
    },
  },
  {
    id: "memory",
    about: "a note is saved, found, shown, edited and forgotten",
    own: {},
    async play(r) {
      const key = await r.session();
      await r.run(key, "Remember that my accordion hangs in the boathouse.", [
        { calls: [note("things", "- accordion hangs in the boathouse")] },
        { text: "I saved that your accordion hangs in the boathouse." },
      ]);
      const other = await r.session();
      await r.run(other, "Look up where the accordion is.", [
        { calls: [recall("accordion boathouse")] },
        { text: "It hangs in the boathouse." },
      ]);
      await r.ask("memory.list");
      await r.cli(["memory", "show", "things"]);
      await r.cli(["memory", "edit", "things"], { stdin: "- accordion hangs in the attic\n" });
      await r.ask("memory.show", { key: "things" });
      await r.cli(["memory", "forget", "things", "--yes"]);
      await r.ask("memory.list");
    },
  },
  {
    id: "policy-explained",
    about: "what would become of a call, and why",
    async play(r) {
      await r.cli(["policy", "explain", "files.file.delete", '{"path":"a.txt"}']);
      await r.cli(["policy", "explain", "files.file.read", '{"path":"a.txt"}', "--json"], { json: true });
      await r.cli(["policy", "explain", "no.such.tool"]);
      await r.ask("policy.explain", { toolId: "shell.command.run", input: { argv: ["rm", "-rf", "/"] } });
      await r.ask("policy.explain", { toolId: "web.page.fetch", input: { url: "http://127.0.0.1/" } });
    },
  },
  {
    id: "settings-and-health",
    about: "settings with their origin, the doctor's findings, status and usage",
    own: { config: "model: anthropic/claude-sonnet-5-5\npolicy:\n  mode: strict\nlimits:\n  laps: 12\n" },
    async play(r) {
      const key = await r.session();
      await r.run(key, "Hello.", [{ text: "Hello." }]);
      await r.cli(["config", "show", "--origin"]);
      await r.ask("config.show");
      await r.cli(["config", "check"]);
      // The doctor looks whether there is an index of memory; a search makes one.
      await r.wire.result("memory.search", { query: "hello" });
      await r.doctor();
      await r.ask("usage.summary", { days: 1 });
      await r.ask("gateway.status");
      await r.cli(["status"]);
    },
  },
  {
    id: "tools-listed",
    about: "every tool with its contract",
    async play(r) {
      await r.cli(["tools", "list"]);
      await r.cli(["tools", "show", "files.file.write"]);
      await r.ask("tools.list");
    },
  },
  {
    id: "tokens",
    about: "a token for a program is made, listed, kept to its scope and revoked",
    async play(r) {
      const { token } = (await r.result("tokens.create", { name: "program", scopes: ["chat"] })) as {
        token: string;
      };
      await r.ask("tokens.list");
      await r.cli(["token", "list"]);
      const answer = await fetch(`${r.scene.gateway.url}/blobs`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}x` },
        body: "x",
      });
      r.step({ upload: "with a wrong token", status: answer.status, answer: await answer.text() });
      await r.cli(["token", "revoke", "program"]);
      await r.ask("tokens.list");
    },
  },
  {
    id: "demo",
    about: "the demo model, without a key",
    own: { demo: true, config: "policy:\n  mode: strict\n" },
    async play(r) {
      const key = await r.session();
      await r.run(key, "Hello! What can you do?", []);
      const runId = await r.send(key, "Write three notes with a program, please.", []);
      const { approvalId } = await r.asked(runId);
      await r.ask("exec.approve", { approvalId });
      await r.ended(key, runId);
      await r.cli(["status"]);
    },
  },
];
