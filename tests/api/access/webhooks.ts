import { ASKS, byRole, DONE, type Entry, memberAction, NO_ID, page, REFUSED, signedIn, type Target } from "./entry";

const AT = "dashboard/settings/webhooks";
const managers = byRole(DONE, DONE, REFUSED);
const OF_MANAGERS = { ...signedIn(200, 404), member: `307 /${AT}` } as const;

/** On the page of an endpoint. */
const onEndpoint = (
  name: string,
  fields: Record<string, string> = {},
  expected: Entry["expected"] = managers,
): Entry => ({
  ...memberAction(
    name,
    AT,
    ({ endpointId }: Target, id = endpointId) => ({ endpointId: id, ...fields }),
    expected,
    NO_ID("whe"),
  ),
  path: ({ endpointId }: Target, id = endpointId) => `/${AT}/${id}`,
});

const SETTINGS = { label: "made", url: "https://example.com/made", events: "message.failed" };

export const WEBHOOKS: Entry[] = [
  page(`${AT}/`, () => `/${AT}`, { ...signedIn(200), member: ASKS }),
  page(`${AT}/[endpointId]/`, ({ endpointId }, id = endpointId) => `/${AT}/${id}`, OF_MANAGERS, NO_ID("whe")),
  page(
    `${AT}/[endpointId]/deliveries/[deliveryId]/`,
    ({ endpointId, deliveryId }, id = deliveryId) => `/${AT}/${endpointId}/deliveries/${id}`,
    OF_MANAGERS,
    `whd_${"0".repeat(32)}`,
  ),
  memberAction("create", AT, () => ({ ...SETTINGS, mode: "live" }), managers),
  memberAction("createSlack", AT, () => ({ label: "#alerts", url: "https://hooks.slack.com/services/made" }), managers),
  onEndpoint("change", SETTINGS),
  onEndpoint("rotate", { overlap: "now" }),
  onEndpoint("resume"),
  onEndpoint("pause"),
  onEndpoint("sendTest"),
  onEndpoint("replayRange", { lastHours: "1", isFailedOnly: "on" }),
  {
    ...memberAction(
      "replay",
      AT,
      ({ endpointId, deliveryId }, id = endpointId) => ({ endpointId: id, deliveryId }),
      managers,
      NO_ID("whe"),
    ),
    path: ({ endpointId, deliveryId }, id = endpointId) => `/${AT}/${id}/deliveries/${deliveryId}`,
  },
  // The endpoint of the other rows stays: what is tried here is who may.
  {
    ...memberAction("remove", AT, () => ({ endpointId: NO_ID("whe") }), byRole(404, 404, REFUSED)),
    path: ({ endpointId }) => `/${AT}/${endpointId}`,
  },
];
