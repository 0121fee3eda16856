/** Returns a code's class name, such as `PhoneNumberRequiredError`; `INTERNAL_ERROR` is `InternalError`. */
export function errorClassName(code: string): string {
  const words = code.split("_").map((word) => `${word[0]}${word.slice(1).toLowerCase()}`);
  return `${words.join("").replace(/Error$/, "")}Error`;
}

/** Returns the docstring of a code's class: its title and HTTP statuses. */
export function errorClassText({ title, statuses }: { title: string; statuses: number[] }): string {
  return `${title || "Returned by no operation of this client"}.${statuses.length > 0 ? ` HTTP ${statuses.join(" or ")}.` : ""}`;
}

/** Breaks a text at spaces into lines of at most `width` characters. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
