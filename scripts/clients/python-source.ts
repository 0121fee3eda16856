import type { Choice, ErrorCodeModel, Field, FieldType, Model, TypeModel } from "./api-model";
import { errorClassName, errorClassText, wrap } from "./source-text";

const WIDTH = 100;
const GENERATED = [
  "# Generated from the OpenAPI document by `npm run clients:release`.",
  "# Change the API's schemas, not this file.\n",
].join("\n");

const TYPING = ["Any", "Dict", "List", "Literal", "Optional", "TypedDict", "Union"];

/** The module of the requests, or of what the API returns and posts. */
export function pythonTypes(title: string, { models, choices, unions }: TypeModel): string {
  const types = [
    ...choices.map(choiceSource),
    ...models.map((model) => `\n${modelSource(model)}\n`),
    ...unions.map(({ name, members }) => `\n${name} = Union[${members.join(", ")}]\n`),
  ].join("\n");
  const used = TYPING.filter((name) => new RegExp(`[ [(]${name}[[,)\\]\n]`).test(types));
  return [
    GENERATED,
    `"""${title}"""\n`,
    "from __future__ import annotations\n",
    `from typing import ${used.join(", ")}\n`,
    `${exported([...choices, ...models, ...unions].map(({ name }) => name))}\n`,
    types,
  ].join("\n");
}

const choiceSource = ({ name, values }: Choice): string =>
  `${name} = Literal[\n${values.map((value) => `    ${quoted(value)},`).join("\n")}\n]\n`;

/** The module with an error class for each code. */
export function pythonErrors(errorCodes: readonly ErrorCodeModel[]): string {
  return [
    GENERATED,
    '"""An error class for each code of the API."""\n',
    "from __future__ import annotations\n",
    "from typing import Dict, Type\n",
    "from .errors import ApiError\n",
    `${exported(errorCodes.map(({ code }) => errorClassName(code)))}\n`,
    ...errorCodes.map(errorClass),
    "\n# A code that is not listed is an `ApiError`.",
    "ERROR_CLASSES: Dict[str, Type[ApiError]] = {",
    ...errorCodes.map(({ code }) => `    ${quoted(code)}: ${errorClassName(code)},`),
    "}\n",
  ].join("\n");
}

const errorClass = (error: ErrorCodeModel): string =>
  `\nclass ${errorClassName(error.code)}(ApiError):\n${docstring(errorClassText(error)).join("\n")}\n`;

/** Required fields get a class of their own, because `Required` is newer than Python 3.9. */
function modelSource({ name, description, fields }: Model): string {
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  if (optional.length === 0) return classSource(`${name}(TypedDict)`, description, required);
  const all = classSource(`${name}(TypedDict, total=False)`, description, optional);
  if (required.length === 0) return all;
  const base = classSource(`_${name}Required(TypedDict)`, "", required);
  return `${base}\n\n\n${classSource(`${name}(_${name}Required, total=False)`, description, optional)}`;
}

const classSource = (head: string, description: string, fields: readonly Field[]): string =>
  [`class ${head}:`, ...docstring(description), ...fields.flatMap(fieldSource)].join("\n");

const fieldSource = ({ name, type, description }: Field): string[] => [
  `    ${name}: ${typeSource(type)}`,
  ...docstring(description),
];

function typeSource(type: FieldType): string {
  switch (type.kind) {
    case "literal":
      return `Literal[${quoted(type.value)}]`;
    case "named":
      return type.name;
    case "array":
      return `List[${typeSource(type.of)}]`;
    case "map":
      return `Dict[str, ${typeSource(type.of)}]`;
    case "union":
      return unionSource(type.of);
    default:
      return SIMPLE[type.kind];
  }
}

const SIMPLE = { string: "str", integer: "int", number: "float", boolean: "bool", null: "None", unknown: "Any" };

function unionSource(of: readonly FieldType[]): string {
  const members = of.filter(({ kind }) => kind !== "null");
  const literals = members.flatMap((member) => (member.kind === "literal" ? [quoted(member.value)] : []));
  const others = members.filter(({ kind }) => kind !== "literal").map(typeSource);
  const types = [...(literals.length > 0 ? [`Literal[${literals.join(", ")}]`] : []), ...others];
  const union = types.length > 1 ? `Union[${types.join(", ")}]` : types.join("");
  return members.length < of.length ? `Optional[${union}]` : union;
}

function docstring(text: string): string[] {
  if (text === "") return [];
  const line = `    """${text}"""`;
  if (line.length <= WIDTH) return [line];
  const [first = "", ...rest] = wrap(text, WIDTH - 7);
  return [`    """${first}`, ...rest.map((each) => `    ${each}`), '    """'];
}

const exported = (names: readonly string[]): string =>
  ["__all__ = [", ...names.toSorted().map((name) => `    ${quoted(name)},`), "]"].join("\n");

const quoted = (text: string): string => JSON.stringify(text);
