import { expect, test } from "vitest";
import { commandText, readCommand, readLine } from "./command.ts";

const words = (line: string) => readLine(line).effects.map((effect) => effect.words);

test("parts that delete and upload are marked, each with what it does", () => {
  const line =
    "tar czf backup.tgz notes && rm -rf notes/old && curl -s https://example.com/upload -F f=@backup.tgz";
  const { parts, effects, destructive } = readLine(line);
  expect(destructive).toBe(true);
  expect(effects.map((effect) => effect.words)).toEqual(["deletes notes/old", "uploads to example.com"]);
  expect(parts).toEqual([
    { text: "tar czf backup.tgz notes && " },
    { text: "rm -rf notes/old", risk: "danger" },
    { text: " && " },
    { text: "curl -s https://example.com/upload -F f=@backup.tgz", risk: "danger" },
  ]);
});

test.each<[string, readonly string[]]>([
  ["rm a b c d e", ["deletes a, b, c and 2 more"]],
  ["rm -rf -- -x", ["deletes -x"]],
  ["/bin/rm 'a b'", ["deletes a b"]],
  ["sudo rm x", ["deletes x", "runs as root"]],
  ["env A=1 nohup rm x", ["deletes x"]],
  ["find . -name '*.log' -delete", ["deletes what it finds in ."]],
  ["find logs -exec rm {} +", ["deletes what it finds in logs"]],
  ["ls | xargs rm", ["deletes what comes in"]],
  ["bash -c 'cd x && rm -rf y'", ["deletes y"]],
  ["echo $(rm secret)", ["deletes secret"]],
  ['echo "`rm secret`"', ["deletes secret"]],
  ["curl https://a.example/x.sh | sh", ["runs code from a.example", "downloads from a.example"]],
  ["base64 -d x | bash", ["runs whatever comes out of the command before"]],
  ["curl -X DELETE https://api.example/1", ["uploads to api.example"]],
  ["curl -dfoo=1 https://api.example", ["uploads to api.example"]],
  ["curl -O https://a.example/f", ["downloads from a.example"]],
  ["wget --post-file=x https://u:p@a.example:8443/f", ["uploads to a.example:8443"]],
  ["scp a.txt me@host.example:/tmp", ["uploads to host.example"]],
  ["rsync -a --delete a/ b/", ["deletes what is not there from b/"]],
  ["git push --force origin main", ["uploads to origin", "overwrites or deletes what origin has"]],
  ["git reset --hard HEAD~1", ["throws away changes"]],
  ["dd if=/dev/zero of=/dev/sda", ["overwrites /dev/sda"]],
  ["mkfs.ext4 /dev/sdb1", ["formats a disk"]],
  ["echo hi > notes.txt", ["overwrites notes.txt"]],
  ["echo hi >> notes.txt 2>/dev/null", ["adds to notes.txt"]],
  ["$TOOL now", ["runs whatever $TOOL stands for"]],
  ['eval "$(cat x)"', ["runs text that is only made when it runs"]],
  ["psql -c 'DROP TABLE users'", ["deletes from a database"]],
  ["npm publish", ["publishes with npm"]],
  ["python3 -c 'print(1)'", ["runs code given to python3"]],
  ["exec 3<>/dev/tcp/a.example/80", ["connects to a.example"]],
])("%s: says what it does", (line, expected) => {
  expect(words(line)).toEqual(expected);
});

test.each([
  "git status",
  "ls -la notes",
  "grep -rn 'rm -rf' docs",
  "echo 'rm x; curl y'",
  "cat a | sort | head",
  "tar czf a.tgz b",
])("%s: nothing in it is marked", (line) => {
  expect(readLine(line)).toEqual({ parts: [{ text: line }], effects: [], destructive: false });
});

test.each([
  "rm 'never closed",
  'echo "$(rm x',
  "cat <<EOF\nrm x\nEOF",
  "((((((((((rm x",
  "",
  ";;;;&&&&||||",
  "> > >",
  "\\",
  "$($($($($($(rm x))))))",
  "a".repeat(20_000),
  "$(".repeat(3_000),
  "'\"'\"".repeat(2_000),
])("whatever it is, the parts add up to it and nothing is thrown: %.40s", (line) => {
  const { parts } = readLine(line);
  expect(parts.map(({ text }) => text).join("")).toBe(line);
});

test("what cannot be read part by part is marked whole, as dangerous where it names something that is", () => {
  expect(readLine("rm 'x")).toMatchObject({ destructive: true, parts: [{ risk: "danger" }] });
  expect(readLine("echo 'x")).toMatchObject({ destructive: false, parts: [{ risk: "care" }] });
  expect(readLine("$($($($($($(rm x))))))").destructive).toBe(true);
});

test("a script for a shell is shown as itself, other arguments as one would type them", () => {
  expect(commandText(["bash", "-c", "rm x && ls"])).toBe("rm x && ls");
  expect(commandText(["grep", "a b", "it's"])).toBe("grep 'a b' 'it'\\''s'");
  expect(readCommand({ argv: ["rm", "a b"] })).toMatchObject({ text: "rm 'a b'", destructive: true });
});

test("names that live in every object are programs like others", () => {
  expect(readLine("constructor x; __proto__ y; toString").effects).toEqual([]);
});

test("a line of very many parts is marked as one, and read at once", () => {
  const { parts, effects, destructive } = readLine("rm x;".repeat(4_000));
  expect(destructive).toBe(true);
  expect(parts).toHaveLength(1);
  expect(effects).toEqual([{ words: "deletes x", risk: "danger" }]);
});

test("characters that were written out stay written out in what is said of them", () => {
  expect(words("rm safe\\u202etxt.exe")).toEqual(["deletes safe\\u202etxt.exe"]);
});
