"use server";

import { z } from "zod";
import { memberAction } from "@/lib/auth/action";
import { ALL_COUNTRIES } from "@/lib/core/country-name";
import { addPrice } from "@/lib/costs/add-price";
import { isDay, readCurrency } from "@/lib/costs/card-values";
import { changeBudget, removeRateCard, replaceRateCard } from "@/lib/costs/change-rate-card";
import { ELSEWHERE } from "@/lib/costs/markets";
import { MAX_CARD_CHARACTERS, readRateCard } from "@/lib/costs/rate-card";

const may = "manageCosts";
const refreshes = "/dashboard";
const LINE_ENDS = 5_000;

/** Saves a card that has no faults; otherwise returns the faults and saves nothing. */
export const uploadRateCard = memberAction(
  {
    may,
    // A form sends each line end as two characters.
    input: z.object({
      card: z
        .string()
        .min(1, "Choose a file.")
        .max(MAX_CARD_CHARACTERS + LINE_ENDS),
    }),
    refreshes,
  },
  async ({ member, by }, { card }) => {
    const read = readRateCard(card.replaceAll("\r\n", "\n"));
    const { rates, faults } = read;
    const budgetRemoved = faults.length === 0 ? await replaceRateCard(member.workspaceId, read, by) : null;
    return { prices: rates.length, faults, budgetRemoved };
  },
);

/** One price: a decimal comma is one, because nothing here groups thousands. */
export const savePrice = memberAction(
  {
    may,
    input: z.object({
      country: z.string().refine((code) => code === ELSEWHERE || ALL_COUNTRIES.has(code), "Choose a country."),
      category: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, "Choose a category."),
      price: z
        .string()
        .trim()
        .regex(/^\d{1,9}([.,]\d{1,8})?$/, "A number with up to 8 decimals, such as 0.0625.")
        .transform((price) => price.replace(",", ".")),
      currency: z
        .string()
        .transform((code) => readCurrency(code) ?? "")
        .refine((code) => code !== "", "A code such as USD."),
      validFrom: z.string().refine(isDay, "Choose a day."),
    }),
    refreshes,
  },
  ({ member, by }, price) => addPrice(member.workspaceId, price, by),
);

export const deleteRateCard = memberAction({ may, input: z.object({}), refreshes }, ({ member, by }) =>
  removeRateCard(member.workspaceId, by),
);

const budget = z
  .string()
  .trim()
  .regex(/^(|\d{1,12}(\.\d{1,2})?)$/, "An amount with a point, such as 250 or 99.50; empty for no budget.")
  .refine((amount) => amount === "" || /[1-9]/.test(amount), "More than 0; empty for no budget.");

export const saveBudget = memberAction(
  { may, input: z.object({ budget, budgetCurrency: z.string().regex(/^[A-Z]{3}$/, "Choose a currency.") }), refreshes },
  ({ member, by }, { budget, budgetCurrency }) =>
    changeBudget(member.workspaceId, budget === "" ? null : { budget, budgetCurrency }, by),
);
