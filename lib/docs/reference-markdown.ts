import { sentenceCase } from "@/lib/core/text";
import { CALLS_OF } from "./calls";
import { ERROR_CATALOGUE, isErrorCode } from "./error-catalogue";
import { blocks, bullets, codeBlock, codeTabs, terms } from "./markdown";
import type { ReferenceAnswer, ReferenceField, ReferenceOperation } from "./reference";
import { type ApiCall, type Caller, pythonProgram, snippetsOf, typescriptProgram } from "./snippets";

const PLACES = { path: "In the path", query: "In the query", header: "Headers" } as const;

/** One endpoint: what it takes, with an example for each message type, and everything that it returns. */
export function operationMarkdown(operation: ReferenceOperation, caller: Caller): string {
  const { id, method, path, summary, parameters, bodies, answers } = operation;
  const calls = CALLS_OF[id] ?? {};
  const [success, ...others] = answers.filter(({ status }) => status.startsWith("2")).toReversed();
  const rest = [...others, ...answers.filter(({ status }) => !status.startsWith("2"))];
  return blocks(
    `## ${summary} {#${id}}`,
    `**${method}** \`/api/v1/public${path}\``,
    ...Object.entries(PLACES).flatMap(([place, heading]) => {
      const fields = parameters.filter((parameter) => parameter.place === place);
      return fields.length === 0 ? [] : [`### ${heading} {#${id}-${place}}`, requestFields(fields)];
    }),
    exampleCall(summary, calls[""], caller),
    ...bodies.flatMap(({ name, fields }) =>
      name === ""
        ? [`### Body, every message type {#${id}-body}`, requestFields(fields)]
        : [
            `### ${sentenceCase(name)} message {#${id}-body-${name}}`,
            requestFields(fields),
            exampleCall(`${sentenceCase(name)} message`, calls[name], caller),
          ],
    ),
    ...(success
      ? [
          `### Response ${success.status} {#${id}-${success.status}}`,
          success.description,
          responseFields(success.fields),
          exampleOf(success),
        ]
      : []),
    ...(rest.length > 0 ? [`### Other responses {#${id}-others}`, ...rest.map(otherResponse)] : []),
  );
}

/** With curl, and with both clients. */
const exampleCall = (caption: string, call: ApiCall | undefined, caller: Caller): string =>
  call
    ? codeTabs(caption, [
        ["sh", snippetsOf(call, caller).curl],
        ["ts", typescriptProgram(call, caller)],
        ["python", pythonProgram(call, caller)],
      ])
    : "";

/** In a request null is the same as leaving a field out. */
function requestFields(fields: readonly ReferenceField[]): string {
  return terms(
    fields.map((field) => [term(field, [field.type, ...(field.isRequired ? ["**required**"] : [])]), words(field)]),
  );
}

/** In a response every field is present unless this says so, and may be null. */
export function responseFields(fields: readonly ReferenceField[]): string {
  return terms(
    fields.map((field) => {
      const type = field.isNullable ? `${field.type} or null` : field.type;
      return [term(field, [type, ...(field.isRequired ? [] : ["may be absent"])]), words(field)];
    }),
  );
}

const term = ({ path }: ReferenceField, facts: string[]): string => `\`${path}\` ${facts.join(", ")}`;

const words = ({ description, limits }: ReferenceField): string =>
  [description, ...limits.map((limit) => `${limit[0]?.toUpperCase()}${limit.slice(1)}.`)].filter(Boolean).join(" ");

/** A heading of the fourth level is folded up on the page. */
function otherResponse(answer: ReferenceAnswer): string {
  const codes = answer.examples.map(({ name }) => name).filter(isErrorCode);
  return blocks(
    `#### \`${answer.status}\` ${codes.length > 0 ? codes.join(", ") : answer.description}`,
    bullets(codes.map((code) => `[\`${code}\`](/docs/errors/${code}) ${ERROR_CATALOGUE[code].title}`)),
    exampleOf(answer),
  );
}

const exampleOf = ({ status, examples: [first] }: ReferenceAnswer): string =>
  first ? codeBlock(`Example of a ${status}`, "json", JSON.stringify(first.body, null, 2)) : "";
