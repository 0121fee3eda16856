import type { Line, TestWorkspace } from "../../support/workspace";

/** Who asks: without anything, three roles of one workspace, another's owner and key, and keys of the workspace. */
export const VISITORS = [
  "anonymous",
  "member",
  "admin",
  "owner",
  "otherOwner",
  "apiKey",
  "otherKey",
  "revokedKey",
] as const;

export type Visitor = (typeof VISITORS)[number];

/** The workspace that everything asked for belongs to. */
export type Target = TestWorkspace & {
  messageId: string;
  /** What WhatsApp reported about that message. */
  eventId: string;
  contactId: string;
  requestId: string;
  line: Line;
  templateId: string;
  keyId: string;
  endpointId: string;
  deliveryId: string;
  /** Of an open invitation into the workspace, for anyone who has its link. */
  invitationToken: string;
};

/** A status, and where a redirect or an action leads to: `307 /sign-in`. */
type Expected = number | `${number} /${string}` | typeof DONE | typeof REFUSED | typeof ASKS;

export type Entry = {
  /** The file under `app` that answers; of an action `file#name`, and of a table of routes its path there. */
  file: string;
  method: "GET" | "POST";
  /** `id` takes the place of the target's own where the path, or the action's field, holds one. */
  path: (target: Target, id?: string) => string;
  /** An id like the target's that does not exist; absent where the entry takes none. */
  absentId?: string;
  body?: (target: Target) => unknown;
  headers?: Record<string, string>;
  /** The text of the form behind which the action is, and its fields. */
  form?: { text: string; fields: (target: Target, id?: string) => Record<string, string> };
  /** The fields of a member's action beside the workspace's id. */
  call?: (target: Target, id?: string) => Record<string, string | string[]>;
  expected: Record<Visitor, Expected>;
  /** The visitors sign in again before the next row. */
  endsSessions?: true;
};

export const everyone = (answer: Expected): Entry["expected"] => ({
  anonymous: answer,
  member: answer,
  admin: answer,
  owner: answer,
  otherOwner: answer,
  apiKey: answer,
  otherKey: answer,
  revokedKey: answer,
});
export const nobody = everyone(401);
export const keys = (own: Expected, other: Expected) => ({ ...nobody, apiKey: own, otherKey: other });
export const people = (own: Expected, other: Expected, stranger: Expected) => ({
  ...everyone(stranger),
  member: own,
  admin: own,
  owner: own,
  otherOwner: other,
});
export const signedIn = (own: Expected, other: Expected = own) => people(own, other, "307 /sign-in");

/** A path that is the same for all, or that names something of the target. */
type Path = string | Entry["path"];
const pathOf = (path: Path): Entry["path"] => (typeof path === "string" ? () => path : path);

/** What names one thing of the target on a path or in an action's field. */
type Named =
  | "contactId"
  | "endpointId"
  | "eventId"
  | "keyId"
  | "messageId"
  | "phoneNumberId"
  | "requestId"
  | "templateId";

export const NO_ID = (prefix: string) => `${prefix}_01m7w7dr16j57xj0jhk1qj5zzz`;

export const api = (
  method: Entry["method"],
  file: string,
  path: Path,
  expected: Entry["expected"],
  more: Partial<Entry> = {},
): Entry => ({
  file: file.startsWith("/") ? file : `api/${file}/route.ts`,
  method,
  path: pathOf(path),
  expected,
  ...more,
});

/** A route of the dashboard's own, below its workspace. */
export const ofWorkspace = (
  method: Entry["method"],
  path: string,
  expected: Entry["expected"],
  query = "",
  more: Partial<Entry> = { absentId: NO_ID("ws") },
): Entry =>
  api(
    method,
    `/api/v1/workspaces/{workspaceId}/${path}`,
    ({ workspaceId }, id = workspaceId) => `/api/v1/workspaces/${id}/${path}${query}`,
    expected,
    more,
  );

export const page = (file: string, path: Path, expected: Entry["expected"], more: Partial<Entry> = {}): Entry => ({
  file: `${file}page.tsx`,
  method: "GET",
  path: pathOf(path),
  expected,
  ...more,
});

/** A page whose path is its folder. */
export const pageAt = (folder: string, expected: Entry["expected"] = signedIn(200)): Entry =>
  page(`${folder}/`, `/${folder}`, expected);

/** The path of the page of one in a list. */
export const pathOfOne =
  (list: string, named: Named): Entry["path"] =>
  (target, id = target[named]) =>
    `/${list}/${id}`;

export const pageOfOne = (
  list: string,
  named: Named,
  absentId: string,
  expected: Entry["expected"] = signedIn(200, 404),
): Entry => page(`${list}/[${named}]/`, pathOfOne(list, named), expected, { absentId });

/**
 * The page of one in a list, and what the list's slot for a panel answers with: nothing beside the list itself, and
 * the detail that a link on it leads to.
 */
export const pageAndPanel = (list: string, named: Named, absentId: string): Entry[] => [
  pageOfOne(list, named, absentId),
  page(`${list}/@panel/`, `/${list}`, signedIn(200)),
  page(`${list}/@panel/(.)[${named}]/`, pathOfOne(list, named), signedIn(200, 404), {
    absentId,
    headers: { "next-url": `/${list}` },
  }),
];

type Fields = Record<string, string | string[]>;

/** An action's fields, one of which is the id of something of the target. */
export const naming =
  (named: Named, others: Fields = {}): NonNullable<Entry["call"]> =>
  (target, id = target[named]) => ({ [named]: id, ...others });

/** A member's action, called as a page's script calls it. `at` is the folder of its actions.ts and of a page that has it. */
export const memberAction = (
  name: string,
  at: string,
  call: Fields | NonNullable<Entry["call"]>,
  expected: Entry["expected"],
  more: Partial<Omit<Entry, "path">> & { path?: Path } = {},
): Entry => ({
  file: `${at}/actions.ts#${name}`,
  method: "POST",
  call: typeof call === "function" ? call : () => call,
  expected,
  ...more,
  path: pathOf(more.path ?? `/${at}`),
});

/** What a member's action says: it did it, or why not. */
export const DONE = "200 done";
export const REFUSED = "200 refused";
/** What a page says in its place to a role that may not open it: who can help. */
export const ASKS = "200 asks";

/** Of a workspace's three roles; all others get a 404, or have to sign in. */
export const byRole = (owner: Expected, admin: Expected, member: Expected): Entry["expected"] => ({
  ...people(owner, 404, "200 /sign-in"),
  owner,
  admin,
  member,
});

/** An action of anyone with a session, whatever workspace it names; all others have to sign in. */
export const anyUser = (answer: Expected): Entry["expected"] => people(answer, answer, "200 /sign-in");
