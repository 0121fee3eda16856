import type { Template } from "@/db/schema";
import { AppError, invalid, invalidAt } from "@/lib/core/app-error";
import { listSome, quote } from "@/lib/core/text";
import type { Category } from "@/lib/whatsapp/limits";

type Variant = { language: string; status: string };

type Wanted = {
  name: string;
  language?: string;
  /** Set if the caller wrote the components: the language is sent unchanged, so it must match exactly. */
  isExact: boolean;
  /** Similar names, for the error if no template has `name`. */
  similar?: string[];
};

/**
 * Returns the approved variant for a send. Throws NOT_FOUND without one, TEMPLATE_NOT_APPROVED if it may not be sent,
 * and VALIDATION_ERROR with the language codes if several match.
 */
export function chooseTemplate<V extends Variant>(variants: V[], wanted: Wanted): V {
  if (variants.length === 0) throw noSuchName(wanted);
  const { language } = wanted;
  if (language === undefined) return onlyApproved(variants, wanted);
  const given = variants.find((variant) => variant.language === language);
  if (given) return onlyApproved([given], wanted);
  const near = wanted.isExact ? [] : findNear(variants, language);
  if (near.length === 0) throw noSuchLanguage(variants, wanted);
  return onlyApproved(near, wanted);
}

function onlyApproved<V extends Variant>(candidates: V[], { name, language }: Wanted): V {
  const [first, ...others] = candidates.filter(isApproved);
  if (!first) throw notApproved(name, candidates);
  if (others.length === 0) return first;
  const codes = listSome(
    [first, ...others].map((variant) => variant.language),
    12,
  );
  const meant = language === undefined ? "is required: " : `${quote(language)} may mean several: `;
  const message = `${meant}template ${quote(name)} is approved in ${codes}. Set \`templateLanguage\` to one of them.`;
  throw invalid([{ path: "templateLanguage", message }]);
}

/** `en-US` matches `en_US`; `en` matches a single regional variant, and a region matches only plain `en`. */
function findNear<V extends Variant>(variants: V[], language: string): V[] {
  const code = spelling(language);
  const respelled = variants.filter((variant) => spelling(variant.language) === code);
  if (respelled.length > 0) return respelled;
  const base = baseOf(code);
  return variants.filter((variant) => {
    const other = spelling(variant.language);
    return baseOf(other) === base && (code === base || other === base);
  });
}

const isApproved = ({ status }: Variant): boolean => status.toUpperCase() === "APPROVED";

const spelling = (language: string): string => language.trim().replaceAll("-", "_").toLowerCase();

const baseOf = (code: string): string => code.split("_")[0] ?? code;

/** For a template created at WhatsApp that has not been synced yet. */
const ARRIVAL =
  "New at WhatsApp? It arrives within a minute or two; “Sync now” on the dashboard's Templates page reads it at once.";

function noSuchName({ name, similar = [] }: Wanted): AppError {
  const hint =
    similar.length > 0
      ? `Did you mean ${listSome(similar.map(quote), 3)}?`
      : "GET /api/v1/public/templates lists the names; a template belongs to the account of its line.";
  return new AppError("NOT_FOUND", `No template ${quote(name)} for this line. ${hint} ${ARRIVAL}`, {
    details: { field: "templateName", retryable: false },
  });
}

function noSuchLanguage(variants: Variant[], { name, language = "", isExact }: Wanted): AppError {
  const approvedLanguages = variants.filter(isApproved).map((variant) => variant.language);
  const codes = approvedLanguages.length > 0 ? listSome(approvedLanguages, 12) : "no language yet";
  const why = isExact ? " With `templateComponents` the code must equal an approved one exactly." : "";
  const message = `Template ${quote(name)} has no language ${quote(language)}; it is approved in ${codes}.${why} ${ARRIVAL}`;
  return new AppError("NOT_FOUND", message, {
    details: { field: "templateLanguage", retryable: false, approvedLanguages },
  });
}

function notApproved(name: string, variants: Variant[]): AppError {
  const states = listSome(variants.map(({ language, status }) => `${language} is ${status.toUpperCase()}`));
  const message = `Template ${quote(name)} cannot be sent: ${states}. Only APPROVED templates can; GET /api/v1/public/templates lists them.`;
  return new AppError("TEMPLATE_NOT_APPROVED", message, { details: { field: "templateName", retryable: false } });
}

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
