import {
  byRole,
  DONE,
  type Entry,
  everyone,
  memberAction,
  NO_ID,
  naming,
  ofWorkspace,
  page,
  pageAndPanel,
  pageAt,
  pathOfOne,
  people,
  REFUSED,
  signedIn,
} from "./entry";

const AT = "dashboard/messages";
const own = people(200, 404, 401);
const managers = byRole(DONE, DONE, REFUSED);
const path = pathOfOne(AT, "messageId");

export const MESSAGE_ENTRIES: Entry[] = [
  pageAt("dashboard/send"),
  page(`${AT}/`, `/${AT}?status=SENT&live=on`, signedIn(200)),
  ...pageAndPanel(AT, "messageId", NO_ID("msg")),
  memberAction("revealBody", `${AT}/[messageId]`, naming("messageId"), managers, { path }),
  memberAction("revealRaw", `${AT}/[messageId]`, naming("eventId"), managers, {
    path: (target) => path(target),
    absentId: NO_ID("evt"),
  }),
  ofWorkspace("GET", "messages/export", own, "?mode=live"),
  ofWorkspace("GET", "messages/by-key", people(404, 404, 401), "?mode=live&key=none"),
  ofWorkspace("GET", "messages/newer", own, "?mode=live&since=1767614951020-msg"),
  // Only a page of ours may ask it, which this table's calls do not pretend to be.
  ofWorkspace("POST", "messages/send", everyone(403), "?mode=test", { body: () => ({}) }),
];
