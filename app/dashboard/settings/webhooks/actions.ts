"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { OVERLAPS } from "@/lib/api-keys/overlap";
import { memberAction } from "@/lib/auth/action";
import { invalid } from "@/lib/core/app-error";
import { LocalTime } from "@/lib/core/local-time";
import { withQuery } from "@/lib/core/query-string";
import { characterCount } from "@/lib/core/text";
import { changeEndpoint } from "@/lib/outgoing/change-endpoint";
import { createEndpoint } from "@/lib/outgoing/create-endpoint";
import { deleteEndpoint } from "@/lib/outgoing/delete-endpoint";
import { periodOf } from "@/lib/outgoing/delivery-filters";
import { findEndpoint, noSuchEndpoint } from "@/lib/outgoing/endpoint-queries";
import { readEndpointUrl } from "@/lib/outgoing/endpoint-url";
import { pauseEndpoint, resumeEndpoint } from "@/lib/outgoing/pause-endpoint";
import { replayDeliveries } from "@/lib/outgoing/replay-deliveries";
import { rotateSecret } from "@/lib/outgoing/rotate-secret";
import { sendTestEvent } from "@/lib/outgoing/send-test-event";
import { urlRules } from "@/lib/outgoing/url-rules";
import { EVENT_TYPES } from "@/lib/public-api/event-types";

const PATH = "/dashboard/settings/webhooks";
const HOUR_MS = 3_600_000;
const may = "manageWebhooks";

const Label = z
  .string()
  .trim()
  .min(1, "Enter a label, such as “Orders, production”.")
  .refine((label) => characterCount(label) <= 50, "A label has at most 50 characters.");

/** A box that is ticked alone arrives as a text. */
const Events = z
  .union([z.enum(EVENT_TYPES).transform((one) => [one]), z.array(z.enum(EVENT_TYPES))], {
    error: "Choose at least one event.",
  })
  .transform((events) => EVENT_TYPES.filter((type) => events.includes(type)));

const Settings = { label: Label, url: z.string().trim(), events: Events };
const endpointId = z.string().max(100);

const refresh = () => revalidatePath(PATH, "layout");

/** The URL as it is stored. Throws VALIDATION_ERROR. */
const checkedUrl = (given: string, mode: "live" | "test"): string => {
  const reading = readEndpointUrl(given, urlRules(mode));
  if ("fault" in reading) throw invalid([{ path: "url", message: reading.fault }]);
  return reading.url;
};

// The secret travels once, in the answer to the page that asked; the page refreshes when it has been stored.

export const create = memberAction(
  { may, input: z.object({ ...Settings, mode: z.enum(["live", "test"]) }) },
  async ({ member, by }, endpoint) => {
    const url = checkedUrl(endpoint.url, endpoint.mode);
    return createEndpoint(member.workspaceId, { ...endpoint, url }, by);
  },
);

export const rotate = memberAction(
  { may, input: z.object({ endpointId, overlap: z.enum(OVERLAPS) }) },
  async ({ member, by }, input) => ({
    id: input.endpointId,
    secret: await rotateSecret(member.workspaceId, input, by),
  }),
);

export const change = memberAction(
  { may, input: z.object({ endpointId, ...Settings }) },
  async ({ member, by }, input) => {
    const endpoint = await findEndpoint(member.workspaceId, input.endpointId);
    if (!endpoint) throw noSuchEndpoint();
    await changeEndpoint(member.workspaceId, { ...input, url: checkedUrl(input.url, endpoint.mode) }, by);
    refresh();
  },
);

export const pause = memberAction({ may, input: z.object({ endpointId }) }, async ({ member, by }, input) => {
  await pauseEndpoint(member.workspaceId, input.endpointId, by);
  refresh();
});

export const resume = memberAction({ may, input: z.object({ endpointId }) }, async ({ member, by }, input) => {
  await resumeEndpoint(member.workspaceId, input.endpointId, by);
  refresh();
});

export const remove = memberAction({ may, input: z.object({ endpointId }) }, async ({ member, by }, input) => {
  const endpoint = await findEndpoint(member.workspaceId, input.endpointId);
  if (!endpoint) throw noSuchEndpoint();
  await deleteEndpoint(member.workspaceId, input.endpointId, by);
  refresh();
  // Its own page is gone.
  redirect(withQuery(PATH, { mode: endpoint.mode }));
});

export const sendTest = memberAction({ may, input: z.object({ endpointId }) }, async ({ member }, input) => {
  const deliveryId = await sendTestEvent(member.workspaceId, input.endpointId);
  refresh();
  return { deliveryId };
});

export const replay = memberAction(
  { may, input: z.object({ endpointId, deliveryId: z.string().max(100) }) },
  async ({ member, by }, input) => {
    const count = await replayDeliveries(member.workspaceId, input, by);
    refresh();
    return { count };
  },
);

const Period = z.object({
  lastHours: z.enum(["1", "24", "72", "168", "between"]),
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
});

/** As the list reads it; without an end it is now. Throws VALIDATION_ERROR. */
const readPeriod = (
  { lastHours, from, to }: z.infer<typeof Period>,
  timeZone: string,
): { since: Date; until: Date } => {
  const now = new Date();
  if (lastHours !== "between") return { since: new Date(now.getTime() - Number(lastHours) * HOUR_MS), until: now };
  const [begin, end] = [LocalTime.safeParse(from), LocalTime.safeParse(to)];
  if (!begin.success) throw invalid([{ path: "from", message: "Enter the date and time of the first event." }]);
  if (!end.success && to) throw invalid([{ path: "to", message: "Enter a date and time, or leave it empty for now." }]);
  const { since = now, until = now } = periodOf({ from: begin.data, to: end.data }, timeZone);
  if (since >= until) throw invalid([{ path: "to", message: "The end must not be before the start." }]);
  return { since, until };
};

export const replayRange = memberAction(
  { may, input: Period.extend({ endpointId, isFailedOnly: z.literal("on").optional() }) },
  async ({ member, by }, { endpointId: id, isFailedOnly, ...period }) => {
    const range = readPeriod(period, member.workspace.timeZone);
    const which = { endpointId: id, ...range, isFailedOnly: isFailedOnly === "on" };
    const count = await replayDeliveries(member.workspaceId, which, by);
    refresh();
    return { count };
  },
);
