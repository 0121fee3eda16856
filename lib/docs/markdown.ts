/** Names the heading or the item that it ends: `{#limits}`. */
export const ANCHOR = / \{#([\w-]+)\}$/;

/** A table of Markdown. Its cells are Markdown, too. */
export const table = (headings: string[], rows: (string | number)[][]): string =>
  [headings, headings.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

/** A code block under its caption. */
export const codeBlock = (caption: string, language: string, code: string): string =>
  `**${caption}**\n\n\`\`\`${language}\n${code}\n\`\`\``;

export const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

/** A list of terms, each with its definition in a paragraph below. */
export const terms = (items: readonly (readonly [term: string, definition: string])[]): string =>
  items.map(([term, definition]) => `- ${term}\n\n  ${definition}`).join("\n\n");

/** Parts of a page with an empty line between; those that are empty are left out. */
export const blocks = (...parts: string[]): string => parts.filter((part) => part !== "").join("\n\n");
