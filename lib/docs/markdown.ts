/** Names the heading or the item that it ends: `{#limits}`. */
export const ANCHOR = / \{#([\w-]+)\}$/;

/** A table of Markdown. Its cells are Markdown, too. */
export function table(headings: string[], rows: (string | number)[][]): string {
  return [headings, headings.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}

/** A code block under its caption. */
export function codeBlock(caption: string, language: string, code: string): string {
  return codeTabs(caption, [[language, code]]);
}

/** One example in several languages under one caption; a page shows one of them. */
export function codeTabs(caption: string, blocks: readonly (readonly [language: string, code: string])[]): string {
  return `**${caption}**\n\n${blocks.map(([language, code]) => `\`\`\`${language}\n${code}\n\`\`\``).join("\n\n")}`;
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

/** A list of terms, each with its definition in a paragraph below. */
export function terms(items: readonly (readonly [term: string, definition: string])[]): string {
  return items.map(([term, definition]) => `- ${term}\n\n  ${definition}`).join("\n\n");
}

/** Parts of a page with an empty line between; those that are empty are left out. */
export function blocks(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
