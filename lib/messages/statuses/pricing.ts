import type { Message } from "@/db/schema";
import type { Pricing } from "@/lib/whatsapp/status-webhooks";

/** A price, and WhatsApp's time of the status that brought it. */
export type Priced = Pricing & { at: Date };

export type StoredPricing = Pick<
  Message,
  "pricingBillable" | "pricingType" | "pricingCategory" | "pricingModel" | "pricedAt"
>;

/** Returns the price of the earliest status: WhatsApp repeats that of `sent` later. Of the same second, by its words. */
export function firstPricing(a: Priced | null, b: Priced | null): Priced | null {
  if (!a || !b) return a ?? b;
  const [at, bt] = [a.at.getTime(), b.at.getTime()];
  return at < bt || (at === bt && wordsOf(a) <= wordsOf(b)) ? a : b;
}

const wordsOf = ({ billable, type, category, model }: Pricing) => JSON.stringify([billable, type, category, model]);

/** Returns the stored price of a message; null without one. */
export function storedPricing(message: StoredPricing): Priced | null {
  const { pricingBillable: billable, pricingType: type, pricingCategory: category, pricingModel: model } = message;
  if (message.pricedAt === null || billable === null || category === null) return null;
  return { billable, type, category, model, at: message.pricedAt };
}

export function pricingColumns(price: Priced | null): StoredPricing {
  return {
    pricingBillable: price?.billable ?? null,
    pricingType: price?.type ?? null,
    pricingCategory: price?.category ?? null,
    pricingModel: price?.model ?? null,
    pricedAt: price?.at ?? null,
  };
}

/** Returns a price for people, such as `billable, utility`, or `free, service, free_customer_service`. */
export function pricingWords({ billable, type, category }: Pricing): string {
  return [billable ? "billable" : "free", category, ...(type && type !== "regular" ? [type] : [])].join(", ");
}
