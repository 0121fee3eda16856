import { isRecord, readJson } from "@/lib/core/json";

/** JSON as a person writes it: short lists and objects stay on their line. */
export function jsonText(value: unknown, indent = ""): string {
  return nested(value, indent, JSON_WRITING);
}

export function pythonValue(value: unknown, indent: string): string {
  return nested(value, indent, PYTHON_WRITING);
}

/** JSON's string escapes are valid in Python, too. */
export function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** Writes JSON with unquoted keys where possible; a string with JSON is written as its parsed value. */
export function typescriptArgument(value: unknown, indent: string): string {
  return nested(value, indent, {
    step: "  ",
    key: (key) => (/^[a-z_$][\w$]*$/i.test(key) ? key : JSON.stringify(key)),
    scalar: (one, at) => {
      const held = heldJson(one);
      return held === undefined ? JSON.stringify(one) : `JSON.stringify(${typescriptArgument(held, at)})`;
    },
  });
}

/** The same for Python, where keys stay quoted. */
export function pythonArgument(value: unknown, indent: string): string {
  return nested(value, indent, {
    ...PYTHON_WRITING,
    scalar: (one, at) => {
      const held = heldJson(one);
      // As JSON.stringify writes it: another text would be another body of the same Idempotency-Key.
      const compact = 'separators=(",", ":"), ensure_ascii=False';
      return held === undefined ? pythonScalar(one) : `json.dumps(${pythonArgument(held, at)}, ${compact})`;
    },
  });
}

/** Returns the object in a JSON string; undefined if there is none. */
export function heldJson(value: unknown): object | undefined {
  const json = typeof value === "string" && value.startsWith("{") ? readJson(value) : undefined;
  return isRecord(json) ? json : undefined;
}

export function indented(text: string, by: string): string {
  return text.replaceAll("\n", `\n${by}`);
}

type Writing = {
  scalar: (value: unknown, indent: string) => string;
  key: (key: string) => string;
  step: string;
};

function pythonScalar(value: unknown): string {
  if (typeof value === "string") return pythonText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null || value === undefined ? "None" : JSON.stringify(value);
}

const JSON_WRITING: Writing = {
  scalar: (value) => JSON.stringify(value),
  key: (key) => JSON.stringify(key),
  step: "  ",
};

const PYTHON_WRITING: Writing = { scalar: pythonScalar, key: pythonText, step: "    " };

const MAX_LINE = 60;

function nested(value: unknown, indent: string, writing: Writing): string {
  if (typeof value !== "object" || value === null) return writing.scalar(value, indent);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const below = indent + writing.step;
  const write = (at: string) =>
    Array.isArray(value)
      ? value.map((item: unknown) => nested(item, at, writing))
      : Object.entries(value).flatMap(([key, item]) =>
          item === undefined ? [] : [`${writing.key(key)}: ${nested(item, at, writing)}`],
        );
  const items = write(below);
  const line = items.length === 0 ? "" : Array.isArray(value) ? items.join(", ") : ` ${items.join(", ")} `;
  const isShort = line.length <= MAX_LINE && !line.includes("\n") && indent !== "";
  if (items.length === 0 || isShort) return `${open}${line}${close}`;
  return `${open}\n${items.map((item) => below + item).join(",\n")}\n${indent}${close}`;
}
