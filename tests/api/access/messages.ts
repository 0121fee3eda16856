import {
  api,
  byRole,
  DONE,
  type Entry,
  everyone,
  memberAction,
  NO_ID,
  page,
  panel,
  people,
  REFUSED,
  signedIn,
} from "./entry";

const MESSAGES = "/api/v1/workspaces/{workspaceId}/messages";
const at =
  (path: string) =>
  (target: { workspaceId: string }, id = target.workspaceId) =>
    `/api/v1/workspaces/${id}/messages/${path}`;

export const MESSAGE_ENTRIES: Entry[] = [
  page("dashboard/send/", () => "/dashboard/send", signedIn(200)),
  page("dashboard/messages/", () => "/dashboard/messages?status=SENT&live=on", signedIn(200)),
  page(
    "dashboard/messages/[messageId]/",
    ({ messageId }, id = messageId) => `/dashboard/messages/${id}`,
    signedIn(200, 404),
    NO_ID("msg"),
  ),
  ...panel(
    "dashboard/messages",
    "messageId",
    ({ messageId }, id = messageId) => `/dashboard/messages/${id}`,
    NO_ID("msg"),
  ),
  {
    ...memberAction(
      "revealBody",
      "dashboard/messages/[messageId]",
      ({ messageId }, id = messageId) => ({ messageId: id }),
      byRole(DONE, DONE, REFUSED),
    ),
    path: ({ messageId }, id = messageId) => `/dashboard/messages/${id}`,
  },
  {
    ...memberAction(
      "revealRaw",
      "dashboard/messages/[messageId]",
      ({ eventId }, id = eventId) => ({ eventId: id }),
      byRole(DONE, DONE, REFUSED),
      NO_ID("evt"),
    ),
    path: ({ messageId }) => `/dashboard/messages/${messageId}`,
  },
  api("GET", `${MESSAGES}/export`, at("export?mode=live"), people(200, 404, 401), { absentId: NO_ID("ws") }),
  api("GET", `${MESSAGES}/by-key`, at("by-key?mode=live&key=none"), people(404, 404, 401), { absentId: NO_ID("ws") }),
  api("GET", `${MESSAGES}/newer`, at("newer?mode=live&since=1767614951020-msg"), people(200, 404, 401), {
    absentId: NO_ID("ws"),
  }),
  // Only a page of ours may ask it, which this table's calls do not pretend to be.
  api("POST", `${MESSAGES}/send`, at("send?mode=test"), everyone(403), { body: () => ({}) }),
];
