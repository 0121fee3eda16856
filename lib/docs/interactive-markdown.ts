import type { InteractiveKind } from "./interactive-kind";
import { blocks, codeBlock, table } from "./markdown";

/** One kind: what it is, its limits, what an answer brings, and both forms. */
export function interactiveMarkdown({ id, title, lead, limits, short, full, answer }: InteractiveKind): string {
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return blocks(
    `## ${title} {#${id}}`,
    lead,
    table(
      ["Field", "Limit"],
      Object.entries(limits).map(([name, limit]) => [`\`${name}\``, limit.replace(/\.$/, "")]),
    ),
    `**The answer.** ${answer.words}`,
    answer.event ? codeBlock("Of the event’s data", "json", json(answer.event)) : "",
    short ? codeBlock("Short form", "json", json(short)) : "",
    codeBlock(short ? "Full form" : "WhatsApp’s form", "json", json(full)),
  );
}
