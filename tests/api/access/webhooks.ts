import {
  ASKS,
  byRole,
  DONE,
  type Entry,
  memberAction,
  NO_ID,
  naming,
  page,
  pageAt,
  pageOfOne,
  pathOfOne,
  REFUSED,
  signedIn,
} from "./entry";

const AT = "dashboard/settings/webhooks";
const managers = byRole(DONE, DONE, REFUSED);
const OF_MANAGERS = { ...signedIn(200, 404), member: `307 /${AT}` } as const;

const absentId = NO_ID("whe");
const path = pathOfOne(AT, "endpointId");

/** On the page of an endpoint. */
const onEndpoint = (name: string, fields: Record<string, string> = {}): Entry =>
  memberAction(name, AT, naming("endpointId", fields), managers, { path, absentId });

const SETTINGS = { label: "made", url: "https://example.com/made", events: "message.failed" };

export const WEBHOOKS: Entry[] = [
  pageAt(AT, { ...signedIn(200), member: ASKS }),
  pageOfOne(AT, "endpointId", absentId, OF_MANAGERS),
  page(
    `${AT}/[endpointId]/deliveries/[deliveryId]/`,
    ({ endpointId, deliveryId }, id = deliveryId) => `/${AT}/${endpointId}/deliveries/${id}`,
    OF_MANAGERS,
    { absentId: `whd_${"0".repeat(32)}` },
  ),
  memberAction("create", AT, { ...SETTINGS, mode: "live" }, managers),
  memberAction("createSlack", AT, { label: "#alerts", url: "https://hooks.slack.com/services/made" }, managers),
  onEndpoint("change", SETTINGS),
  onEndpoint("rotate", { overlap: "now" }),
  onEndpoint("resume"),
  onEndpoint("pause"),
  onEndpoint("sendTest"),
  onEndpoint("replayRange", { lastHours: "1", isFailedOnly: "on" }),
  memberAction(
    "replay",
    AT,
    ({ endpointId, deliveryId }, id = endpointId) => ({ endpointId: id, deliveryId }),
    managers,
    { path: ({ endpointId, deliveryId }, id = endpointId) => `/${AT}/${id}/deliveries/${deliveryId}`, absentId },
  ),
  // The endpoint of the other rows stays: what is tried here is who may.
  memberAction("remove", AT, { endpointId: absentId }, byRole(404, 404, REFUSED), { path }),
];
