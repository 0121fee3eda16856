import { z } from "zod";
import { withQuery } from "@/lib/core/query-string";

export const PAGE_SIZE = 50;

type Place = { name: string; language: string; id: string };
type Filter = {
  search?: string | undefined;
  status?: string | undefined;
  category?: string | undefined;
  language?: string | undefined;
};

// Postgres refuses a NUL wherever it stands, and no name has one.
const Word = z
  .string()
  .trim()
  .min(1)
  .max(512)
  .regex(/^[^\0]+$/)
  .optional()
  .catch(undefined);
const Parameters = z.object({ q: Word, status: Word, category: Word, language: Word, after: Word });

/** The filters in the list's address; what makes no sense there is no filter. */
export function readTemplateFilter(parameters: unknown): Filter & { after: Place | undefined } {
  const { q, after, ...filter } = Parameters.parse(parameters);
  const [name, language, id, ...more] = after?.split("~") ?? [];
  const isPlace = name && language && id && more.length === 0;
  return { ...filter, search: q, after: isPlace ? { name, language, id } : undefined };
}

export function afterOf({ name, language, id }: Place): string {
  return [name, language, id].join("~");
}

export function templatesHref({ search, ...filter }: Filter, after?: string): string {
  return withQuery("/dashboard/templates", { q: search, ...filter, after });
}
