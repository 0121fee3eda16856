/** Whom a change concerns: who calls the API, who uses the dashboard, who runs the gateway. */
export const READERS = { callers: "Callers of the API", members: "Members", operators: "Operators" } as const;

export type Entry = {
  /** Its anchor, for ever. */
  id: string;
  /** `2026-11-20`. */
  date: string;
  title: string;
  concerns: (keyof typeof READERS)[];
  /** Text between backticks is shown as code. */
  changed: string;
  toDo: string;
};

/** The newest first. */
export const CHANGELOG: readonly Entry[] = [
  {
    id: "secret-of-nobody",
    date: "2026-11-22",
    title: "Security: one text was a secret of every key",
    concerns: ["operators"],
    changed:
      "What a key’s absent former secret was compared with could be written in a header, and so opened any active key that was not in the overlap of a rotation. An absent secret proves nothing now.",
    toDo: "Update at once. Dashboard → Requests shows from which addresses each key was used.",
  },
  {
    id: "closer-look",
    date: "2026-11-22",
    title: "Numbers and masks that hold to a closer look",
    concerns: ["members", "operators"],
    changed:
      "Members can no longer find a masked number out by guessing or from the platform’s message ids. A rotated secret is young again, old templates no longer raise an alarm with each sync, calls are counted right in zones of half hours, and a number that changed hands is heard of by its present workspace only. The audit row of an erasure tells of the workspace’s own rows only. A provisioning file that names somebody who signed up by themselves must give a password.",
    toDo: "Operators run `npm run db:migrate`.",
  },
  {
    id: "gateway-numbers",
    date: "2026-11-22",
    title: "Test numbers that the gateway refuses, and headers that say more",
    concerns: ["callers"],
    changed:
      "With a test key, seven more numbers play what the gateway itself refuses (`402`, `404`, `409`, `429`, `500`, a missing `phoneNumberId`), and `447700900010` keeps a send `PENDING` for five seconds. `/docs/testing` lists them; `details.testNumber` tells a played refusal from a real one. Every answer carries `API-Version` and, where a key was proven, its mode as `X-Mode`; every error links to its page in a `Link` header.",
    toDo: "Nothing, unless your tests send to one of those numbers and expect it to be delivered.",
  },
  {
    id: "tools",
    date: "2026-11-20",
    title: "A command line, a doctor, and the docs as Markdown",
    concerns: ["callers", "operators"],
    changed:
      "Each page of the docs is Markdown at its address with `.md` behind it; `/llms.txt` lists them. `waitFor` of `/docs/client.ts` takes `onMessage`, which hears of each look-up. With the gateway’s source, `npm run cli` sends, follows a message, lists templates, tails the calls and replays webhooks, and `npm run doctor` says what is wrong with a deployment.",
    toDo: "Nothing.",
  },
  {
    id: "raw-webhooks",
    date: "2026-11-20",
    title: "The platform’s own words on a message’s page",
    concerns: ["members", "operators"],
    changed:
      "Owners and admins open the raw webhook behind each step of a message’s timeline; each look is in the audit log. A refusal shows the platform’s `fbtrace_id`. Raw webhooks are kept as long as contents are.",
    toDo: "Operators run `npm run db:migrate`. Webhooks from before have no raw form.",
  },
  {
    id: "guides",
    date: "2026-11-20",
    title: "Guides, a reference and a client",
    concerns: ["callers"],
    changed:
      "The docs have a page for each subject. The reference and `/openapi.json` describe every field and header, and `/docs/client.ts` is a client in one file.",
    toDo: "Nothing. Links to the headings of the old page lead to the new ones.",
  },
  {
    id: "dashboard",
    date: "2026-11-20",
    title: "Keys, people, templates and contacts in the dashboard",
    concerns: ["members", "operators"],
    changed:
      "Keys are created, rotated and revoked, members invited, templates written and contacts imported in the dashboard. What somebody changes is in the audit log.",
    toDo: "Operators run `npm run db:migrate`. `ALLOW_SIGN_UP` says whether strangers may make an account; it is off.",
  },
  {
    id: "request-log",
    date: "2026-11-20",
    title: "A log of every call",
    concerns: ["callers", "members"],
    changed:
      "Every call of the API, refused ones too, is on Dashboard → Requests under the id of its `X-Request-Id`. Bodies are not kept there.",
    toDo: "Log `X-Request-Id` on your side, and search for it in the dashboard.",
  },
  {
    id: "secrets",
    date: "2026-11-20",
    title: "Secrets change without a pause",
    concerns: ["operators"],
    changed:
      "`KEY_PEPPER`, `ENCRYPTION_KEY` and `WHATSAPP_APP_SECRET` each have a `_PREVIOUS`, which is accepted while the new value spreads.",
    toDo: "To change one, move its value to `_PREVIOUS` first. For `ENCRYPTION_KEY` run `npm run encryption:rotate` then.",
  },
  {
    id: "retention",
    date: "2026-11-20",
    title: "Contents are removed after 90 days",
    concerns: ["callers", "members", "operators"],
    changed:
      "What a message said is removed after `MESSAGE_RETENTION_DAYS`; its status and ids stay. A workspace may have a number of days of its own.",
    toDo: "Set `MESSAGE_RETENTION_DAYS` if 90 is not right for you.",
  },
  {
    id: "version-1",
    date: "2026-11-20",
    title: "Version 1 of the API",
    concerns: ["callers"],
    changed:
      "Send a message, read its status, list the templates: three endpoints below `/api/v1/public`, and test mode with keys that begin with `pk_test_`.",
    toDo: "Start with the quickstart.",
  },
];
