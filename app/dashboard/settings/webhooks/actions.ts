"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import { memberAction, step } from "@/lib/auth/action";
import { invalid } from "@/lib/core/app-error";
import { LocalTime } from "@/lib/core/local-time";
import { withQuery } from "@/lib/core/query-string";
import { OVERLAPS } from "@/lib/core/secret-life";
import { characterCount } from "@/lib/core/text";
import {
  changeEndpoint,
  deleteEndpoint,
  pauseEndpoint,
  resumeEndpoint,
  rotateSecret,
  sendTestEvent,
} from "@/lib/outgoing/change-endpoint";
import { createEndpoint, createSlackChannel } from "@/lib/outgoing/create-endpoint";
import { periodOf } from "@/lib/outgoing/delivery-filters";
import { findEndpoint, noSuchEndpoint } from "@/lib/outgoing/endpoint-queries";
import { readEndpointUrl, urlRules } from "@/lib/outgoing/endpoint-url";
import { EVENT_TYPES } from "@/lib/outgoing/events/event-types";
import { replayDeliveries } from "@/lib/outgoing/replay-deliveries";

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
const OneEndpoint = z.object({ endpointId }).transform((given) => given.endpointId);

/** The URL as it is stored. Throws VALIDATION_ERROR. */
function checkedUrl(given: string, mode: "live" | "test"): string {
  const reading = readEndpointUrl(given, urlRules(mode));
  if ("fault" in reading) throw invalid([{ path: "url", message: reading.fault }]);
  return reading.url;
}

// The secret travels once, in the answer to the page that asked; the page refreshes when it has been stored.

export const create = memberAction(
  { may, input: z.object({ ...Settings, mode: z.enum(["live", "test"]) }) },
  async ({ member, by }, endpoint) => {
    const url = checkedUrl(endpoint.url, endpoint.mode);
    return createEndpoint(member.workspaceId, { ...endpoint, url }, by);
  },
);

export const createSlack = memberAction(
  { may, input: z.object({ label: Label, url: Settings.url }), refreshes: PATH },
  async ({ member, by }, { label, url }) => {
    await createSlackChannel(member.workspaceId, { label, url: checkedUrl(url, "live") }, by);
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
  { may, input: z.object({ endpointId, ...Settings }), refreshes: PATH },
  async ({ member, by }, input) => {
    const endpoint = await findEndpoint(member.workspaceId, input.endpointId);
    if (!endpoint) throw noSuchEndpoint();
    await changeEndpoint(member.workspaceId, { ...input, url: checkedUrl(input.url, endpoint.mode) }, by);
  },
);

export const pause = memberAction({ may, input: OneEndpoint, refreshes: PATH }, step(pauseEndpoint));
export const resume = memberAction({ may, input: OneEndpoint, refreshes: PATH }, step(resumeEndpoint));

export const remove = memberAction({ may, input: OneEndpoint }, async ({ member, by }, id) => {
  const endpoint = await findEndpoint(member.workspaceId, id);
  if (!endpoint) throw noSuchEndpoint();
  await deleteEndpoint(member.workspaceId, id, by);
  revalidatePath(PATH, "layout");
  // Its own page is gone.
  redirect(withQuery(PATH, { mode: endpoint.mode }));
});

export const sendTest = memberAction({ may, input: OneEndpoint, refreshes: PATH }, async ({ member }, id) => ({
  deliveryId: await sendTestEvent(member.workspaceId, id),
}));

export const replay = memberAction(
  { may, input: z.object({ endpointId, deliveryId: z.string().max(100) }), refreshes: PATH },
  async ({ member, by }, input) => ({ count: await replayDeliveries(member.workspaceId, input, by) }),
);

const Period = z.object({
  lastHours: z.enum(["1", "24", "72", "168", "between"]),
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
});

/** As the list reads it; without an end it is now. Throws VALIDATION_ERROR. */
function readPeriod({ lastHours, from, to }: z.infer<typeof Period>, timeZone: string): { since: Date; until: Date } {
  const now = new Date();
  if (lastHours !== "between") return { since: new Date(now.getTime() - Number(lastHours) * HOUR_MS), until: now };
  const [begin, end] = [LocalTime.safeParse(from), LocalTime.safeParse(to)];
  if (!begin.success) throw invalid([{ path: "from", message: "Enter the date and time of the first event." }]);
  if (!end.success && to) throw invalid([{ path: "to", message: "Enter a date and time, or leave it empty for now." }]);
  const { since = now, until = now } = periodOf({ from: begin.data, to: end.data }, timeZone);
  if (since >= until) throw invalid([{ path: "to", message: "The end must not be before the start." }]);
  return { since, until };
}

export const replayRange = memberAction(
  { may, input: Period.extend({ endpointId, isFailedOnly: z.literal("on").optional() }), refreshes: PATH },
  async ({ member, by }, { endpointId: id, isFailedOnly, ...period }) => {
    const range = readPeriod(period, member.workspace.timeZone);
    const which = { endpointId: id, ...range, isFailedOnly: isFailedOnly === "on" };
    return { count: await replayDeliveries(member.workspaceId, which, by) };
  },
);
