"use server";

import { z } from "zod";
import { createKey, renameKey, revokeKey, rotateKey } from "@/lib/api-keys/change-key";
import { changeLimits } from "@/lib/api-keys/change-limits";
import { expiryAfter, LimitFields, toKeyLimits } from "@/lib/api-keys/limit-fields";
import { memberAction, step } from "@/lib/auth/action";
import { OVERLAPS } from "@/lib/core/secret-life";
import { characterCount } from "@/lib/core/text";

const PATH = "/dashboard/settings/api-keys";
const may = "seeApiKeys";

const Label = z
  .string()
  .trim()
  .min(1, "Give it a label, such as production.")
  .refine((label) => characterCount(label) <= 50, "A label has at most 50 characters.");

const ApiKey = z.string().max(100);

/** The last day on which a key works; empty means no expiry. */
const LastDay = z
  .string()
  .default("")
  .refine(
    (day) => day === "" || (/^2/.test(day) && z.iso.date().safeParse(day).success),
    "Choose a day, or leave it empty.",
  )
  .transform((day) => day || null);

// The secret travels once, in the answer to the page that asked. Nothing is revalidated here, so that the list behind
// the dialog stays as it is until the secret is stored.

export const createApiKey = memberAction(
  {
    may,
    input: LimitFields.extend({ label: Label, mode: z.enum(["live", "test"]), expiresAt: LastDay }),
  },
  async ({ member: { workspaceId, workspace }, by }, { label, mode, expiresAt, ...fields }) => {
    const until = expiryAfter(expiresAt, workspace.timeZone);
    const key = { label, mode, expiresAt: until, limits: toKeyLimits(fields) };
    const { apiKey, apiSecret } = await createKey(workspaceId, key, by);
    return { label, mode, apiKey, apiSecret };
  },
);

export const changeKeyLimits = memberAction(
  { may, input: LimitFields.extend({ apiKey: ApiKey, expiresAt: LastDay }), refreshes: PATH },
  async ({ member: { workspaceId, workspace }, by }, { apiKey, expiresAt, ...fields }) => {
    const until = (stored: Date | null) => expiryAfter(expiresAt, workspace.timeZone, stored);
    await changeLimits(workspaceId, { apiKey, limits: toKeyLimits(fields), expiresAt: until }, by);
  },
);

export const rotateApiKey = memberAction(
  { may, input: z.object({ apiKey: ApiKey, overlap: z.enum(OVERLAPS) }) },
  async ({ member, by }, { apiKey, overlap }) => {
    const rotated = await rotateKey(member.workspaceId, { apiKey, overlap }, by);
    return { apiKey, apiSecret: rotated.apiSecret };
  },
);

export const renameApiKey = memberAction(
  { may, input: z.object({ apiKey: ApiKey, label: Label }), refreshes: PATH },
  step(renameKey),
);

export const revokeApiKey = memberAction(
  { may, input: z.object({ apiKey: ApiKey }).transform(({ apiKey }) => apiKey), refreshes: PATH },
  step(revokeKey),
);
