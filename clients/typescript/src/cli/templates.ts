import type { TemplateFilter } from "../requests.js";
import type { Template, TemplateVariable } from "../resources.js";
import { credentialsText, runApiCommand, type Shell } from "./api-command.js";
import { type Command, noMore } from "./command-line.js";
import { printDocument } from "./documents.js";
import { FILTERS } from "./template-filters.js";

type Filter = (typeof FILTERS)[number];

/** Options that are not called as in the API, and values that say more than the option's name. */
const SHOWN: { [Name in Filter]?: { option?: string; value: string } } = {
  language: { value: "en_US" },
  category: { value: "UTILITY" },
  phoneNumberId: { option: "line", value: "pn_…" },
};

const inKebabCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const optionOf = (name: Filter): string => SHOWN[name]?.option ?? inKebabCase(name);
const usageOf = (name: Filter): string => `[--${optionOf(name)} ${SHOWN[name]?.value ?? name.toUpperCase()}]`;

const usage = (shell: Shell): string => `Usage: ${shell.program} templates ${FILTERS.map(usageOf).join(" ")} [--json]

The approved templates as a table, with the keys that a send fills; --json prints the whole records.
[key] is optional, a|b takes one of the two, {key} only templateComponents can fill.
${credentialsText(shell)}
`;

/** `templates`: prints the approved templates. */
export const templates =
  (shell: Shell): Command =>
  (args) =>
    runApiCommand(
      shell,
      { usage: usage(shell), options: FILTERS.map(optionOf), flags: ["json"], args },
      async (client, given) => {
        noMore(given.positionals);
        const filter: TemplateFilter = Object.fromEntries(
          FILTERS.flatMap((name) => {
            const value = given.option(optionOf(name));
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
