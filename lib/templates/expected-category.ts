import type { Template } from "@/db/schema";
import { AppError, invalidAt } from "@/lib/core/app-error";
import { quote } from "@/lib/core/text";

/** WhatsApp's categories, which decide the price. */
export const CATEGORIES = ["UTILITY", "MARKETING", "AUTHENTICATION"] as const;
export type Category = (typeof CATEGORIES)[number];

type Categorized = Pick<Template, "name" | "language" | "category" | "previousCategory" | "recategorizedAt">;

/** WhatsApp charges the most for marketing; of the other two, which is cheaper depends on the country. */
function costOf(category: string, expected: Category): string {
  if (category === "MARKETING") return "may cost more";
  return expected === "MARKETING" ? "usually costs less" : "may have another price";
}

/** Refuses a send whose template is now in another category than it expects. Throws VALIDATION_ERROR. */
export function assertCategory(template: Categorized, expected: Category | undefined): void {
  if (expected === undefined || template.category === expected) return;
  const { name, language, category, previousCategory, recategorizedAt } = template;
  const since = recategorizedAt?.toISOString() ?? null;
  const change =
    since === null ? "" : ` WhatsApp changed it from ${previousCategory ?? "another one"} at ${since.slice(0, 16)}Z.`;
  const { code, message, details } = invalidAt(
    "expectCategory",
    `is ${expected}, but template ${quote(name)} (${language}) is ${category} now, which ${costOf(category, expected)}.${change} Nothing was sent. Send another template, or set \`expectCategory\` to ${category} to accept it.`,
  );
  throw new AppError(code, message, { details: { ...details, category, previousCategory, recategorizedAt: since } });
}
