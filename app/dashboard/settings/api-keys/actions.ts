"use server";

import { z } from "zod";
import { createKey, renameKey, revokeKey, rotateKey } from "@/lib/api-keys/change-key";
import { OVERLAPS } from "@/lib/api-keys/key-age";
import { memberAction } from "@/lib/auth/action";
import { characterCount } from "@/lib/core/text";

const PATH = "/dashboard/settings/api-keys";
const DAY_MS = 86_400_000;
const may = "seeApiKeys";

const Label = z
  .string()
  .trim()
  .min(1, "Give it a label, such as production.")
  .refine((label) => characterCount(label) <= 50, "A label has at most 50 characters.");

const ApiKey = z.string().max(100);

// The secret travels once, in the answer to the page that asked. Nothing is revalidated here, so that the list behind
// the dialog stays as it is until the secret is stored.

export const createApiKey = memberAction(
  {
    may,
    input: z.object({
      label: Label,
      mode: z.enum(["live", "test"]),
      expiresInDays: z.enum(["", "30", "90", "365"]).transform((days) => (days === "" ? null : Number(days))),
    }),
  },
  async ({ member, by }, { label, mode, expiresInDays }) => {
    const expiresAt = expiresInDays === null ? {} : { expiresAt: new Date(Date.now() + expiresInDays * DAY_MS) };
    const { apiKey, apiSecret } = await createKey(member.workspaceId, { label, mode, ...expiresAt }, by);
    return { label, mode, apiKey, apiSecret };
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
  async ({ member, by }, input) => {
    await renameKey(member.workspaceId, input, by);
  },
);

export const revokeApiKey = memberAction(
  { may, input: z.object({ apiKey: ApiKey }), refreshes: PATH },
  async ({ member, by }, { apiKey }) => {
    await revokeKey(member.workspaceId, apiKey, by);
  },
);
