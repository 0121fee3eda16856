import { api, byRole, DONE, type Entry, memberAction, NO_ID, page, panel, people, REFUSED, signedIn } from "./entry";

const managers = byRole(DONE, DONE, REFUSED);

/** An action is called from a page that has it. */
const pageOfContact = ({ contactId }: { contactId: string }, id = contactId) => `/dashboard/contacts/${id}`;

export const CONTACT_ENTRIES: Entry[] = [
  page("dashboard/contacts/", () => "/dashboard/contacts", signedIn(200)),
  page("dashboard/contacts/import/", () => "/dashboard/contacts/import", signedIn(200)),
  page(
    "dashboard/contacts/[contactId]/",
    ({ contactId }, id = contactId) => `/dashboard/contacts/${id}`,
    signedIn(200, 404),
    NO_ID("ct"),
  ),
  ...panel(
    "dashboard/contacts",
    "contactId",
    ({ contactId }, id = contactId) => `/dashboard/contacts/${id}`,
    NO_ID("ct"),
  ),
  // A number has one contact, so only the first call that adds it succeeds.
  memberAction(
    "createContact",
    "dashboard/contacts",
    () => ({ phone: "447700900555", name: "" }),
    byRole(REFUSED, DONE, REFUSED),
  ),
  {
    ...memberAction(
      "changeName",
      "dashboard/contacts",
      ({ contactId }, id = contactId) => ({ contactId: id, name: "Ada" }),
      managers,
    ),
    path: pageOfContact,
  },
  {
    ...memberAction(
      "importBatch",
      "dashboard/contacts",
      () => ({ rows: '[{"phone":"447700900556","name":null}]' }),
      managers,
    ),
    path: () => "/dashboard/contacts/import",
  },
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/contacts/{contactId}/export",
    ({ workspaceId, contactId }, id = contactId) => `/api/v1/workspaces/${workspaceId}/contacts/${id}/export`,
    { ...people(403, 404, 401), owner: 200 },
    { absentId: NO_ID("ct") },
  ),
  api(
    "GET",
    "/api/v1/workspaces/{workspaceId}/contacts/export",
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/contacts/export`,
    { ...people(200, 404, 401), member: 403 },
    { absentId: NO_ID("ws") },
  ),
  // A second erasure finds nothing of an erased person.
  {
    ...memberAction(
      "eraseContact",
      "dashboard/contacts",
      ({ contactId }, id = contactId) => ({ contactId: id }),
      byRole(REFUSED, DONE, REFUSED),
    ),
    path: pageOfContact,
  },
];
