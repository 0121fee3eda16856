import { z } from "zod";
import { textUpTo } from "@/lib/core/list-filters";
import { withQuery } from "@/lib/core/query-string";

export const PAGE_SIZE = 50;

type Place = { name: string; language: string; id: string };

/** The longest place: a name of 512 characters, a language and an id. */
const Word = textUpTo(600);
const Filters = z.object({ q: Word, status: Word, category: Word, language: Word });

/** The filters in the list's address; invalid values are ignored. */
export function readTemplateFilter(parameters: unknown): Filters & { after: Place | undefined } {
  const { after, ...filters } = Filters.extend({ after: Word }).parse(parameters);
  const [name, language, id, ...more] = after?.split("~") ?? [];
  const isPlace = name && language && id && more.length === 0;
  return { ...filters, after: isPlace ? { name, language, id } : undefined };
}

type Filters = z.infer<typeof Filters>;

export function afterOf({ name, language, id }: Place): string {
  return [name, language, id].join("~");
}

export function templatesHref(filters: Partial<Filters>, after?: string): string {
  return withQuery("/dashboard/templates", { ...filters, after });
}
