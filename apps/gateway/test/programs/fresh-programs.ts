/**
 * Programs for ordinary wishes of owners, written from what the model is told of its tools and nothing else:
 * without a look at the checker, or at the declarations that it checks against.
 */
export const FRESH_PROGRAMS: readonly (readonly [wish: string, source: string])[] = [
  [
    "sum the invoices",
    `const list = must(await tools.files.file.list({ path: "invoices" }));
let total = 0;
const rows = [];
for (const entry of list.entries) {
  if (entry.kind !== "file" || !entry.path.endsWith(".txt")) continue;
  const file = must(await tools.files.file.read({ path: \`invoices/\${entry.path}\` }));
  const match = file.text.match(/Total:\\s*([\\d.,]+)/);
  if (!match) { rows.push({ path: entry.path, total: null }); continue; }
  const amount = parseFloat(match[1].replace(",", ""));
  total += amount;
  rows.push({ path: entry.path, total: amount });
}
return { total, rows };`,
  ],
  [
    "page through a long log",
    `let offset = 1;
const errors = [];
while (offset) {
  const part = must(await tools.files.file.read({ path: "app.log", offset, limit: 2000 }));
  for (const line of part.text.split("\\n")) {
    if (line.includes("ERROR")) errors.push(line);
  }
  offset = part.nextOffset;
}
return { count: errors.length, first: errors.slice(0, 5) };`,
  ],
  [
    "rename photos by date",
    `const { entries } = must(await tools.files.file.list({ path: "photos" }));
const renamed = [];
for (const e of entries.filter(e => e.kind === "file" && /^IMG_\\d{8}/.test(e.path))) {
  const m = /^IMG_(\\d{4})(\\d{2})(\\d{2})(.*)$/.exec(e.path);
  const to = \`photos/\${m[1]}-\${m[2]}-\${m[3]}\${m[4]}\`;
  const moved = await tools.files.file.move({ from: "photos/" + e.path, to });
  if (moved.ok) renamed.push(to);
  else console.log("failed", e.path, moved.error.message);
}
return renamed;`,
  ],
  [
    "replace a word everywhere",
    `const found = must(await tools.files.file.search({ query: "Acme Corp", path: "docs", glob: "*.md" }));
const paths = [...new Set(found.matches.map((m) => m.path))];
const done = [];
for (const path of paths) {
  must(await tools.files.file.edit({ path: \`docs/\${path}\`, oldText: "Acme Corp", newText: "Acme GmbH", replaceAll: true }));
  done.push(path);
}
return { changed: done.length, files: done };`,
  ],
  [
    "read side by side",
    `const names = ["a.md", "b.md", "c.md"];
const results = await Promise.all(names.map((path) => tools.files.file.read({ path })));
const sizes = {};
results.forEach((r, i) => {
  if (r.ok) sizes[names[i]] = r.value.text.length;
  else sizes[names[i]] = "missing: " + r.error.message;
});
return sizes;`,
  ],
  [
    "git log as json",
    `const run = must(await tools.shell.command.run({ argv: ["git", "log", "--pretty=%h|%an|%s", "-20"] }));
if (run.exitCode !== 0) throw new Error("git failed: " + run.text);
const byAuthor = {};
for (const line of run.text.trim().split("\\n")) {
  const [hash, author, subject] = line.split("|");
  (byAuthor[author] ??= []).push({ hash, subject });
}
return byAuthor;`,
  ],
  [
    "make an index file",
    `const list = must(await tools.files.file.list({ path: ".", depth: 2 }));
const lines = list.entries
  .filter((entry) => entry.kind === "file")
  .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0))
  .map((entry) => \`- \${entry.path} (\${entry.bytes} bytes)\`);
const written = must(await tools.files.file.write({ path: "INDEX.md", content: "# Index\\n\\n" + lines.join("\\n") + "\\n" }));
return { lines: lines.length, written };`,
  ],
  [
    "csv statistics",
    `const { text } = must(await tools.files.file.read({ path: "expenses.csv" }));
const [header, ...rows] = text.trim().split("\\n").map(line => line.split(","));
const col = header.indexOf("amount");
const cat = header.indexOf("category");
const sums = {};
for (const row of rows) {
  const key = row[cat];
  sums[key] = (sums[key] || 0) + Number(row[col]);
}
return Object.entries(sums).sort((a, b) => b[1] - a[1]);`,
  ],
  [
    "remind of each birthday",
    `const { text } = must(await tools.files.file.read({ path: "birthdays.txt" }));
const created = [];
for (const line of text.split("\\n")) {
  const m = line.match(/^(.+?):\\s*(\\d{4}-\\d{2}-\\d{2})$/);
  if (!m) continue;
  const [, name, date] = m;
  const result = await tools.schedule.job.create({ message: \`Birthday of \${name}\`, at: \`\${date}T09:00\` });
  created.push({ name, ok: result.ok });
}
return created;`,
  ],
  [
    "fetch several pages",
    `const urls = ["https://example.com/a", "https://example.com/b"];
const out = [];
for (const url of urls) {
  const page = await tools.web.page.fetch({ url, maxChars: 5000 });
  if (!page.ok) { out.push({ url, error: page.error.message }); continue; }
  out.push({ url, start: page.value.text.slice(0, 200) });
}
return out;`,
  ],
  [
    "a helper function",
    `async function countWords(path) {
  const file = await tools.files.file.read({ path });
  if (!file.ok) return 0;
  return file.value.text.split(/\\s+/).filter(Boolean).length;
}
const { entries } = must(await tools.files.file.list({ path: "chapters" }));
const counts = [];
for (const entry of entries) {
  if (entry.kind === "file") counts.push([entry.path, await countWords("chapters/" + entry.path)]);
}
counts.sort((a, b) => b[1] - a[1]);
return { total: counts.reduce((sum, [, n]) => sum + n, 0), counts };`,
  ],
  [
    "merge notes",
    `const notes = ["monday", "tuesday", "wednesday"];
let merged = "";
for (const day of notes) {
  const note = await tools.files.file.read({ path: \`notes/\${day}.md\` });
  merged += \`## \${day}\\n\\n\${note.ok ? note.value.text.trim() : "(missing)"}\\n\\n\`;
}
const result = await tools.files.file.write({ path: "notes/week.md", content: merged });
if (!result.ok) return { error: result.error.message };
return { length: merged.length };`,
  ],
  [
    "todo across the code",
    `const { matches } = must(await tools.files.file.search({ query: "TODO|FIXME", regex: true, path: "src" }));
const groups = new Map();
for (const { path, line, text } of matches) {
  if (!groups.has(path)) groups.set(path, []);
  groups.get(path).push(\`\${line}: \${text.trim()}\`);
}
return Object.fromEntries(groups);`,
  ],
  [
    "duplicates by content",
    `const { entries } = must(await tools.files.file.list({ path: "downloads" }));
const seen: Record<string, string> = {};
const duplicates: { path: string; same: string }[] = [];
for (const entry of entries) {
  if (entry.kind !== "file") continue;
  const path = "downloads/" + entry.path;
  const read = await tools.files.file.read({ path });
  if (!read.ok || read.value.text === undefined) continue;
  const known = seen[read.value.text];
  if (known) duplicates.push({ path, same: known });
  else seen[read.value.text] = path;
}
for (const { path } of duplicates) {
  const gone = await tools.files.file.delete({ path });
  if (!gone.ok) throw new Error(gone.error.message);
}
return duplicates;`,
  ],
  [
    "move old files away",
    `const { entries } = must(await tools.files.file.list({ path: "inbox" }));
const cutoff = new Date("2026-01-01").getTime();
const moved = await Promise.all(
  entries
    .filter((e) => e.kind === "file" && new Date(e.modified).getTime() < cutoff)
    .map(async (e) => {
      const r = await tools.files.file.move({ from: \`inbox/\${e.path}\`, to: \`archive/\${e.path}\` });
      return { path: e.path, ok: r.ok };
    }),
);
return moved;`,
  ],
  [
    "search memory then write",
    `const hits = must(await tools.memory.note.search({ query: "recipes", limit: 20 }));
const text = JSON.stringify(hits, null, 2);
must(await tools.files.file.write({ path: "recipes-from-memory.json", content: text }));
return { bytes: text.length };`,
  ],
  [
    "retry until it is there",
    `let status = null;
for (let i = 0; i < 5; i++) {
  const r = await tools.shell.command.run({ argv: ["cat", "build/status.txt"] });
  if (r.ok && r.value.exitCode === 0) {
    status = r.value.text.trim();
    break;
  }
  await sleep(1000);
}
return status ?? "not there after five tries";`,
  ],
  [
    "parse json config",
    `const file = must(await tools.files.file.read({ path: "package.json" }));
const pkg = JSON.parse(file.text);
const deps = Object.keys({ ...pkg.dependencies, ...pkg.devDependencies });
const used = [];
for (const name of deps) {
  const found = await tools.files.file.search({ query: \`from "\${name}\`, path: "src", glob: "*.ts" });
  if (found.ok && found.value.matches.length > 0) used.push(name);
}
return { unused: deps.filter((d) => !used.includes(d)) };`,
  ],
  [
    "list the reminders",
    `const jobs = must(await tools.schedule.job.list({}));
console.log(JSON.stringify(jobs));
return jobs;`,
  ],
  [
    "try and catch",
    `const report = { updated: [], failed: [] };
for (const path of ["a.txt", "b.txt"]) {
  try {
    const { text } = must(await tools.files.file.read({ path }));
    must(await tools.files.file.write({ path, content: text.toUpperCase() }));
    report.updated.push(path);
  } catch (e) {
    report.failed.push({ path, why: e.message });
  }
}
return report;`,
  ],
];
