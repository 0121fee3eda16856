import {
  api,
  byRole,
  DONE,
  type Entry,
  memberAction,
  NO_ID,
  naming,
  ofWorkspace,
  pageAndPanel,
  pageAt,
  pathOfOne,
  people,
  REFUSED,
} from "./entry";

const AT = "dashboard/contacts";
const managers = byRole(DONE, DONE, REFUSED);
/** The one call that can succeed does: an admin's, who asks before the owner. */
const once = byRole(REFUSED, DONE, REFUSED);
/** An action is called from a page that has it. */
const path = pathOfOne(AT, "contactId");

export const CONTACT_ENTRIES: Entry[] = [
  pageAt(AT),
  pageAt(`${AT}/import`),
  ...pageAndPanel(AT, "contactId", NO_ID("ct")),
  // A number has one contact, so only the first call that adds it succeeds.
  memberAction("createContact", AT, { phone: "447700900555", name: "" }, once),
  memberAction("changeName", AT, naming("contactId", { name: "Ada" }), managers, { path }),
  memberAction("importBatch", AT, { rows: '[{"phone":"447700900556","name":null}]' }, managers, {
    path: `/${AT}/import`,
  }),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/contacts/{contactId}/export",
    ({ workspaceId, contactId }, id = contactId) => `/api/v1/workspaces/${workspaceId}/contacts/${id}/export`,
    { ...people(403, 404, 401), owner: 200 },
    { absentId: NO_ID("ct") },
  ),
  ofWorkspace("GET", "contacts/export", { ...people(200, 404, 401), member: 403 }),
  // A second erasure finds nothing of an erased person.
  memberAction("eraseContact", AT, naming("contactId"), once, { path }),
];
