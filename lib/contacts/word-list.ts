/** Splits words as an owner types them: on several lines, or with the commas and semicolons of whatever script. */
export function splitWords(text: string): string[] {
  return text
    .split(/[\n,;،؛、，；]/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
