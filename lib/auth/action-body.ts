/**
 * Whether a POST's body is one that React writes for an action of our pages, read byte by byte: the framework parses it
 * again with two other parsers, and answers what they cannot read with a 500. All our actions end in a form.
 */
export function isActionBody(headers: Headers, body: Uint8Array): boolean {
  const fields = readFields(headers.get("content-type") ?? "", body);
  if (!fields) return false;
  const id = headers.get("next-action");
  return id === null ? isPlainForm(fields) : ACTION_ID.test(id) && isCall(fields);
}

type Fields = [name: string, value: string][];

const ACTION_ID = /^[0-9a-f]{42}$/;
const BOUNDARY = /^multipart\/form-data; ?boundary=([\w'()+,./:=?-]{1,70})$/;
const FIELD = /^\r\nContent-Disposition: form-data; name="([^"\r\n]*)"\r\n\r\n([\s\S]*)$/i;

/** The fields of a form as every browser writes it: no files, and no other headers. */
const readFields = (contentType: string, body: Uint8Array): Fields | undefined => {
  const boundary = BOUNDARY.exec(contentType)?.[1];
  const text = Buffer.from(body).toString("latin1");
  const [start, ...parts] = `\r\n${text}`.split(`\r\n--${boundary}`);
  const end = parts.pop();
  if (boundary === undefined || start !== "" || !/^--(\r\n)?$/.test(end ?? "")) return undefined;
  const fields = parts.map((part) => FIELD.exec(part));
  return fields.every((field) => field !== null)
    ? fields.map(([, name = "", value = ""]) => [name, Buffer.from(value, "latin1").toString("utf8")])
    : undefined;
};

const only = (fields: Fields, wanted: string): string | undefined => {
  const [value, ...more] = fields.flatMap(([name, given]) => (name === wanted ? [given] : []));
  return more.length === 0 ? value : undefined;
};

/** What the script of a page sends: field 0 lists the arguments, of which the last is the form in the other fields. */
const isCall = (fields: Fields): boolean => {
  const given = readList(only(fields, "0"));
  const form = given?.pop();
  return typeof form === "string" && FORM.test(form) && isStateList(given, 1);
};

/** What a form posts before its script runs: the action's id, alone or with the state that it is bound to. */
const isPlainForm = (fields: Fields): boolean => {
  const own = fields.filter(([name]) => name.startsWith("$ACTION_") && name !== "$ACTION_KEY");
  const marks = own.flatMap(([name]) => (/^\$ACTION_(?:ID|REF)_/.test(name) ? [name] : []));
  const [, kind, reference = ""] = /^\$ACTION_(ID|REF)_(.*)$/.exec(marks[0] ?? "") ?? [];
  if (marks.length !== 1) return false;
  if (kind === "ID") return own.length === 1 && ACTION_ID.test(reference);
  const bound = only(own, `$ACTION_${reference}:0`) ?? "";
  const state = readList(only(own, `$ACTION_${reference}:1`));
  return (
    own.length === 3 && /^\d+$/.test(reference) && BOUND.test(bound) && state?.length === 1 && isStateList(state, 1)
  );
};

const BOUND = /^\{"id":"[0-9a-f]{42}","bound":"\$@1"\}$/;
const FORM = /^\$K[0-9a-f]+$/;
// Of React's encodings those that a state of ours has: text, undefined, dates, and the numbers that JSON lacks.
const ENCODED = /^(?!\$)|^\$(\$|undefined$|D\d{4}-|(-0|NaN|-?Infinity)$)/;
const MOST_LEVELS = 32;

const readList = (text: string | undefined): unknown[] | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isStateList = (states: unknown[] | undefined, most: number): boolean =>
  states !== undefined && states.length <= most && states.every((state) => isState(state, 0));

const isState = (value: unknown, level: number): boolean => {
  if (typeof value === "string") return ENCODED.test(value);
  if (typeof value !== "object" || value === null) return true;
  return level < MOST_LEVELS && Object.values(value).every((part) => isState(part, level + 1));
};
