import type { ErrorCodeModel, Field, FieldType, Model, TypeModel } from "./api-model";
import { errorClassName, errorClassText, wrap } from "./source-text";

const WIDTH = 120;
const GENERATED =
  "// Generated from the OpenAPI document by `npm run clients:release`. Change the API's schemas, not this file.\n";

/** The module of the requests, or of what the API returns, formatted as the linter wants it. */
export function typescriptTypes({ models, choices, unions }: TypeModel): string {
  return [
    GENERATED,
    ...choices.map(({ name, values }) => `${unionAlias(name, values.map(quoted))}\n`),
    ...models.map((model) => `${modelSource(model)}\n`),
    ...unions.map(({ name, members }) => `${unionAlias(name, members)}\n`),
  ].join("\n");
}

/** The module with the names of a filter's fields, from which the command line has its options. */
export function typescriptFilterNames({ models }: TypeModel, name: string): string {
  const fields = models.find((model) => model.name === name)?.fields ?? [];
  return `${GENERATED}
/** The fields of \`${name}\`. */
export const FILTERS = [${fields.map((field) => quoted(field.name)).join(", ")}] as const;
`;
}

/** The module with an error class for each code. */
export function typescriptErrors(errorCodes: readonly ErrorCodeModel[]): string {
  return [
    GENERATED,
    'import { ApiError } from "./errors.js";\nimport type { ErrorCode } from "./resources.js";\n',
    ...errorCodes.map(errorClass),
    "/** The class of each code; a code that is not listed is an `ApiError`. */",
    "export const ERROR_CLASSES = {",
    ...errorCodes.map(({ code }) => `  ${code}: ${errorClassName(code)},`),
    "} as const satisfies Record<ErrorCode, typeof ApiError>;\n",
  ].join("\n");
}

const errorClass = (error: ErrorCodeModel): string =>
  [
    ...comment(errorClassText(error), ""),
    `export class ${errorClassName(error.code)} extends ApiError {`,
    `  override readonly name: string = ${quoted(errorClassName(error.code))};`,
    `  declare readonly code: ${quoted(error.code)};`,
    "}\n",
  ].join("\n");

function modelSource({ name, description, fields, isOpen, oneRequired }: Model): string {
  const end =
    oneRequired.length > 0 ? `} & (${oneRequired.map((field) => `{ ${field}: string }`).join(" | ")});` : "};";
  return [
    ...comment(description, ""),
    `export type ${name} = {`,
    ...fields.flatMap(fieldSource),
    ...(isOpen ? ["  [more: string]: unknown;"] : []),
    end,
  ].join("\n");
}

const fieldSource = ({ name, type, isRequired, description }: Field): string[] => [
  ...comment(description, "  "),
  ...property(`  ${name}${isRequired ? "" : "?"}:`, type),
];

/** On one line, or with a line for each member of a union that is too long for one. */
function property(start: string, type: FieldType): string[] {
  const line = `${start} ${typeSource(type)};`;
  if (line.length <= WIDTH || type.kind !== "union") return [line];
  return [start, ...type.of.map((member) => `    | ${typeSource(member)}`)].map((each, i, all) =>
    i === all.length - 1 ? `${each};` : each,
  );
}

function typeSource(type: FieldType): string {
  switch (type.kind) {
    case "integer":
      return "number";
    case "literal":
      return quoted(type.value);
    case "named":
      return type.name;
    case "array":
      return type.of.kind === "union" ? `(${typeSource(type.of)})[]` : `${typeSource(type.of)}[]`;
    case "map":
      return `Record<string, ${typeSource(type.of)}>`;
    case "union":
      return type.of.map(typeSource).join(" | ");
    default:
      return type.kind;
  }
}

function unionAlias(name: string, members: readonly string[]): string {
  const line = `export type ${name} = ${members.join(" | ")};`;
  if (line.length <= WIDTH) return line;
  return `export type ${name} =\n${members.map((member) => `  | ${member}`).join("\n")};`;
}

function comment(text: string, indent: string): string[] {
  if (text === "") return [];
  const line = `${indent}/** ${text} */`;
  if (line.length <= WIDTH) return [line];
  const lines = wrap(text, WIDTH - indent.length - 3).map((each) => `${indent} * ${each}`);
  return [`${indent}/**`, ...lines, `${indent} */`];
}

const quoted = (text: string): string => JSON.stringify(text);
