import type { TemplateFilter } from "../requests.js";
import type { Template, TemplateVariable } from "../resources.js";
import { credentialsText, runApiCommand, type Shell } from "./api-command.js";
import { type Command, noMore } from "./command-line.js";
import { printDocument } from "./documents.js";

const usage = (
  shell: Shell,
): string => `Usage: ${shell.program} templates [--name NAME] [--language en_US] [--category UTILITY] [--line pn_…] [--json]

The approved templates as a table, with the keys that a send fills; --json prints the whole records.
[key] is optional, a|b takes one of the two, {key} only templateComponents can fill.
${credentialsText(shell)}
`;

/** The options, by the API's name of each. */
const FILTERS = {
  name: "name",
  language: "language",
  category: "category",
  phoneNumberId: "line",
} as const satisfies Record<keyof TemplateFilter, string>;

/** `templates`: prints the approved templates. */
export const templates =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(
      shell,
      { usage: usage(shell), options: Object.values(FILTERS), flags: ["json"], args },
      async (client, given) => {
        noMore(given.positionals);
        const filter: TemplateFilter = Object.fromEntries(
          Object.entries(FILTERS).flatMap(([name, option]) => {
            const value = given.option(option);
            return value === undefined ? [] : [[name, value]];
          }),
        );
        const found = await client.listTemplates(filter);
        if (given.flag("json")) printDocument(found);
        else process.stdout.write(tableOf([["NAME", "LANGUAGE", "CATEGORY", "KEYS"], ...found.map(rowOf)]));
        return true;
      },
    );

const rowOf = ({ name, language, category, variables }: Template): string[] => [
  name,
  language,
  category,
  [...new Set(variables.map(keyOf))].join(" ") || "–",
];

const keyOf = ({ key, required, oneOf, fillWith }: TemplateVariable, _: number, all: TemplateVariable[]): string => {
  const shown = (name: string) => (all.some((one) => one.key === name && one.fillWith) ? `{${name}}` : name);
  if (oneOf) return oneOf.map(shown).join("|");
  if (fillWith) return `{${key}}`;
  return required ? key : `[${key}]`;
};

const tableOf = (rows: readonly string[][]): string => {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map((row) => {
      const cells = row.map((cell, column) => cell.padEnd(widthOf(column)));
      return `${cells.join("  ").trimEnd()}\n`;
    })
    .join("");
};
