/** As a function, but what it said of its last text is kept: the same sentence is asked about several times in a row. */
export function lastAnswer<Answer>(of: (text: string) => Answer): (text: string) => Answer {
  let last: string | undefined;
  let answer: Answer;
  return (text) => {
    if (text !== last) {
      answer = of(text);
      last = text;
    }
    return answer!;
  };
}
