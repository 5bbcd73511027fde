import { expect, test } from "vitest";
import { renderTemplate, templateProblem, variablesOf } from "./template.ts";

test("values are put in as they are, and what they hold is no template", () => {
  const template = "Hello {{name}}, you are {{ age }}. {{name}}!";
  expect(variablesOf(template)).toEqual(["name", "age"]);
  expect(renderTemplate(template, { name: "{{age}} $& $1", age: 7 })).toEqual({
    ok: true,
    value: "Hello {{age}} $& $1, you are 7. {{age}} $& $1!",
  });
});

test("a variable without a value is named, also where its name is one that every object has", () => {
  expect(renderTemplate("{{a}} {{b}}", { a: "x" })).toEqual({
    ok: false,
    error: "There is no value for b.",
  });
  expect(renderTemplate("{{constructor}}", {})).toMatchObject({ ok: false });
});

test("a place that is written wrongly is a problem of the template", () => {
  expect(templateProblem("{{name}} and { {x} }")).toBeUndefined();
  for (const broken of ["{{name}", "{{ }}", "{{a b}}", "{{a-b}}"])
    expect(templateProblem(broken), broken).toContain("{{name}}");
});
