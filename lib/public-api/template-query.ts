import { type Issue, invalid } from "@/lib/core/app-error";

export type TemplateCursor = { name: string; language: string; id: string };

export type TemplateQuery = {
  name: string | undefined;
  language: string | undefined;
  category: string | undefined;
  phoneNumberId: string | undefined;
  limit: number | undefined;
  after: TemplateCursor | undefined;
};

const MAX_LIMIT = 100;
const MOST_FILTER_CHARACTERS = 512;

/** The filters and the page of a template list; parameters that we do not know are ignored. Throws VALIDATION_ERROR. */
export function parseTemplateQuery(parameters: URLSearchParams): TemplateQuery {
  const issues: Issue[] = [];
  const filter = (name: string) => {
    const value = parameters.get(name) ?? undefined;
    const fault = value === undefined ? undefined : faultOf(value);
    if (fault) issues.push({ path: name, message: fault });
    return value === "" ? undefined : value;
  };
  const query = {
    name: filter("name"),
    language: filter("language"),
    category: filter("category"),
    phoneNumberId: filter("phoneNumberId"),
    limit: readLimit(parameters.get("limit"), issues),
    after: readCursor(parameters.get("cursor"), issues),
  };
  if (issues.length > 0) throw invalid(issues);
  return query;
}

const faultOf = (value: string): string | undefined => {
  if (value.includes("\0")) return "contains a NUL character. Remove it.";
  if (value.length > MOST_FILTER_CHARACTERS) return `has more than ${MOST_FILTER_CHARACTERS} characters.`;
  return undefined;
};

export function writeCursor({ name, language, id }: TemplateCursor): string {
  return Buffer.from(JSON.stringify([name, language, id])).toString("base64url");
}

const readLimit = (given: string | null, issues: Issue[]): number | undefined => {
  if (given === null) return undefined;
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > MAX_LIMIT) {
    issues.push({ path: "limit", message: `must be a whole number from 1 to ${MAX_LIMIT}.` });
  }
  return limit;
};

const readCursor = (given: string | null, issues: Issue[]): TemplateCursor | undefined => {
  if (given === null) return undefined;
  try {
    const [name, language, id]: unknown[] = JSON.parse(Buffer.from(given, "base64url").toString("utf8"));
    const isText = (value: unknown): value is string =>
      typeof value === "string" && !value.includes("\0") && value.isWellFormed();
    if (isText(name) && isText(language) && isText(id)) return { name, language, id };
  } catch {
    // Reported below, together with a cursor that is JSON but not ours.
  }
  issues.push({
    path: "cursor",
    message: "is not a valid cursor. Pass `data.nextCursor` of the previous page, unchanged.",
  });
  return undefined;
};
