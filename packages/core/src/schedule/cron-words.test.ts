import { expect, test } from "vitest";
import { cronWords } from "./cron-words.ts";

test.each([
  ["0 8 * * 1-5", "every weekday at 08:00"],
  ["0 8 * * mon-fri", "every weekday at 08:00"],
  ["30 7 * * *", "every day at 07:30"],
  ["30 7 * * 0-6", "every day at 07:30"],
  ["0 9,17 * * *", "every day at 09:00 and 17:00"],
  ["0 9 * * 1", "every Monday at 09:00"],
  ["0 9 * * 0,3,5", "every Wednesday, Friday and Sunday at 09:00"],
  ["0 10 * * 6,7", "every Saturday and Sunday at 10:00"],
  ["0 8 1 * *", "on the 1st of every month at 08:00"],
  ["0 8 2,23 * *", "on the 2nd and 23rd of every month at 08:00"],
  ["0 18 L * *", "on the last day of every month at 18:00"],
  ["0 10 24 12 *", "on the 24th of December at 10:00"],
  ["0 10 12 jan,jul *", "on the 12th of January and July at 10:00"],
  ["0 8 * 6-8 1-5", "every weekday in June, July and August at 08:00"],
  ["* * * * *", "every minute"],
  ["*/15 * * * *", "every 15 minutes"],
  ["*/15 9-17 * * 1-5", "every 15 minutes from 09:00 to 17:59 on weekdays"],
  ["0 * * * *", "every hour"],
  ["30 * * * 1", "every hour at :30 on Mondays"],
  ["0 */2 * * *", "every 2 hours"],
  ["@daily", "every day at 00:00"],
  ["@weekly", "every Sunday at 00:00"],
  ["@hourly", "every hour"],
])("%s is %s", (expression, words) => {
  expect(cronWords(expression)).toBe(words);
});

test.each(["*/7 * * * *", "0 8 1 * 1", "5-50/5 8 * * *", "0 1,2,3,4,5 * * *", "0 */5 * * *"])(
  "what words would not make plainer, or would make wrong, has none: %s",
  (expression) => {
    expect(cronWords(expression)).toBeUndefined();
  },
);
