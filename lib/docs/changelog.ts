/** Whom a change concerns: who calls the API, who uses the dashboard, who runs the gateway. */
export const READERS = { callers: "Callers of the API", members: "Members", operators: "Operators" } as const;

export type Entry = {
  /** Its anchor, which never changes. */
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
    id: "fewer-files",
    date: "2026-11-25",
    title: "Postman, Bruno and feed files removed",
    concerns: ["callers"],
    changed:
      "`/docs/postman.json`, `/docs/bruno.zip` and the changelog’s feed, `/docs/changelog.xml`, no longer exist and return `404`.",
    toDo: "Import `/openapi.json` into Postman or Bruno. Read changes on this page.",
  },
  {
    id: "people-who-change",
    date: "2026-11-24",
    title: "A person stays one contact when the phone number changes",
    concerns: ["callers", "members", "operators"],
    changed:
      "A contact has any number of phone numbers and WhatsApp user ids, and the gateway reads WhatsApp’s notices of changes. A send by `contactId` goes to the current number, else to the newest user id of the line’s business account, and never to one that the person gave up; without either it is a `400`. A send by `phone` goes to the number that you write, and has a `Warning` header where its person gave it up. Contacts that turn out to be one person are merged, and both ids keep working. A user id that WhatsApp no longer knows is a `400` of the recipient. Messages in groups open no 24 hours.",
    toDo: "Operators: run `npm run db:migrate` before the new version starts, and subscribe to `user_id_update` if your app offers that field.",
  },
  {
    id: "clients-0-2",
    date: "2026-11-24",
    title: "Clients 0.2.0, at addresses that stay",
    concerns: ["callers"],
    changed:
      "A package keeps its address and its contents: a change gets a new version, and the files of earlier versions stay, so lock files keep working. TypeScript: `require`, `iterateTemplates`, `onAttempt` for logs, `responseOf` for the headers and the request id of a result, and an `AbortError` with the send’s `idempotencyKey`. Python: `AsyncSwitchboard`, connections that are used again, `iter_templates`, `on_attempt` and `response_of`; `verify_webhook` takes header values as lists. Both name a missing webhook secret and send their version as `User-Agent`. The command line has `--version`, prints help on standard output, and ends with 1 where a message that it watches fails. Start it as `npx --no -- switchboard-client`: without `--no`, npx outside of the package’s folder runs what a registry has under that name.",
    toDo: "Nothing for 0.1.0, which stays. With 0.2.0, a call that your `signal` ends rejects with `AbortError`, whose `cause` is the signal’s reason; before it rejected with the reason itself.",
  },
  {
    id: "reference-to-try",
    date: "2026-11-24",
    title: "A reference to try, and search over the docs",
    concerns: ["callers", "operators"],
    changed:
      "The [reference](/docs/reference) shows each message type beside its fields, in curl, TypeScript and Python. “Try it” sends the request from the page, with a test key of your own that expires after 30 minutes. It needs an owner or admin who is signed in. The docs have a search field, which `/` opens. The Python client can be installed from this deployment.",
    toDo: "Operators: run `npm run db:migrate` before the new version starts.",
  },
  {
    id: "listen",
    date: "2026-11-24",
    title: "Webhooks on your computer",
    concerns: ["callers", "members", "operators"],
    changed:
      "The command line of the npm package has `listen`, which receives the events of test mode on your computer, without a tunnel, and forwards them to your program; `trigger`, which causes an event in the sandbox; and `doctor`, which says what is wrong between your computer and the gateway. Settings, Webhooks lists the computers that listen.",
    toDo: "Operators: run `npm run db:migrate` before the new version starts.",
  },
  {
    id: "clients",
    date: "2026-11-23",
    title: "Clients for TypeScript and Python",
    concerns: ["callers"],
    changed:
      "The gateway’s source has clients as packages for npm and Python, under the MIT licence, and a command line. Each error code has a class, an error of a send has its `idempotencyKey`, and `verifyWebhook` checks webhooks. `/docs/client.ts` is the same client in one file. `/openapi.json` describes `outcome`, `messageId`, `platform`, `scope`, `limit`, `used` and `resetsAt` of an error’s `details`.",
    toDo: "Nothing: a copy of the former `/docs/client.ts` works as before. If you replace it, `timeout` of `waitFor` is now `timeoutSeconds`, `maxWaitSeconds` is `deadlineSeconds`, which bounds the whole call, and a failed connection is a `NoResponseError`.",
  },
  {
    id: "webhooks",
    date: "2026-11-23",
    title: "Webhooks: statuses are pushed to you",
    concerns: ["callers", "members", "operators"],
    changed:
      "Owners and admins add up to five endpoints per mode under Settings, Webhooks. Each receives the events that it subscribes to: `message.sent`, `.delivered`, `.read`, `.failed`, `.unknown` and `template.approved`, `.rejected`, `.paused`, `.disabled`, signed as Standard Webhooks says. Events are stored with the status, delivered at least once and in order for each message, and retried for about 75 hours. An issue of a request is a sentence that names its field: “`phone` is required.”",
    toDo: "Callers: nothing; reading statuses works as before. Operators: run `npm run db:migrate` before the new version starts.",
  },
  {
    id: "strangers",
    date: "2026-11-22",
    title: "Security: one packet could stop the server",
    concerns: ["operators"],
    changed:
      "A client that reset its connection after a POST to a page, or after `CONNECT`, could end the server. No client can now. Calls of server actions that no page makes are `400` or `403`. Bodies of unknown senders and refused sign-ins no longer delay others; slow DNS and slow hosts behind one workspace’s links no longer delay other workspaces. Every error of the database is a `503` with `Retry-After`. Rate limits in Postgres are exact, or the answer is a `503`. On SIGTERM every request that has arrived is answered.",
    toDo: "Update at once, and run `npm run db:migrate` before. `npm start` now refuses a `DATABASE_URL` that can never work, a pool over 1,000 connections, and secrets made of blanks or one repeated character; a secret that is refused may go on as the `_PREVIOUS` one.",
  },
  {
    id: "never-sent",
    date: "2026-11-22",
    title: "A message that was never sent is not called unknown",
    concerns: ["callers"],
    changed:
      "A send whose linked media took seconds could end as `UNKNOWN` though nothing had been sent. It is sent now; and whatever fails before the first byte is `not_sent`, and the same key sends it later. `retryable: true` always comes with `retryAfterSeconds`. Codes 130403, 131049 and 132069 keep their Idempotency-Key; every other `400` of WhatsApp’s says that a retry needs a new one. A refused upload is judged by its code. Documents carry their file name. `sentAt` is never before `createdAt`.",
    toDo: "Nothing. Callers that retry after a `400` use a new key where the message says so.",
  },
  {
    id: "whatsapp-news",
    date: "2026-11-22",
    title: "Templates arrive by themselves, and accounts raise alarms",
    concerns: ["members", "callers"],
    changed:
      "Templates created at WhatsApp arrive by webhook, when a line is connected, and every 6 hours. Bans, restrictions, deletions and rejected reviews of an account are on the Overview, each with what to do; late events change nothing. FLAGGED and RESTRICTED numbers keep sending. A recipient whom WhatsApp knows under another number stays one contact. People without a number are contacts, and can be sent to by `contactId`.",
    toDo: "Operators subscribe to `account_alerts` and `account_review_update`, too.",
  },
  {
    id: "template-answers",
    date: "2026-11-22",
    title: "Template errors name the field, and every written call works",
    concerns: ["callers"],
    changed:
      "A wrong shape in `templateComponents` or in a card is a `400` with its path and a suggestion. `variables` say which places only `templateComponents` can fill (`fillWith`), and that `header` does as well as `header_link` (`oneOf`). A multi-product template without a product is a `400`. A `phoneNumberId` of the other mode is explained. The sandbox accepts every call that the product writes.",
    toDo: "Nothing.",
  },
  {
    id: "mode-in-address",
    date: "2026-11-22",
    title: "Nothing live is sent by mistake",
    concerns: ["members"],
    changed:
      "Test or live is part of a page’s address, so that each tab keeps its own mode and a form sends in the mode it was opened with. “Send test” is “Send message”; in live mode the button reads “Send live message”, beside the line and the recipient. A send that gets no answer says so and offers to check its status. Where WhatsApp cannot be reached, pages say so and do not blame the token. CSV files also guard line feeds and full-width signs.",
    toDo: "Nothing.",
  },
  {
    id: "sessions",
    date: "2026-11-22",
    title: "Sessions that end, and a way back in",
    concerns: ["members", "operators"],
    changed:
      "Signing out, a new password, a new role and a removal end a session at the next request, copies of its cookie included. Your account page lists your sessions. Owners create links with which a member sets a new password, and operators run `npm run reset-password -- --email ADDRESS`. The first account needs the set-up token from the server’s log. `ALLOW_OWNER_PLANS` decides whether owners change their monthly limit.",
    toDo: "Everyone signs in once after this update. Operators run `npm run db:migrate`.",
  },
  {
    id: "secret-of-nobody",
    date: "2026-11-22",
    title: "Security: authentication bypass in API keys",
    concerns: ["operators"],
    changed:
      "Authentication bypass fixed: one constant string was accepted as the secret of any active key that was not being rotated. Update now, then check Requests for unknown IP addresses.",
    toDo: "Update at once. Dashboard → Requests shows from which addresses each key was used.",
  },
  {
    id: "closer-look",
    date: "2026-11-22",
    title: "Privacy and counting fixes",
    concerns: ["members", "operators"],
    changed:
      "Members can no longer find a masked number out by guessing or from WhatsApp’s message ids. A secret’s age restarts when it is rotated, old templates no longer raise an alarm with each sync, calls are counted right in zones of half hours, and webhooks of a number that changed hands reach its present workspace only. The audit row of an erasure counts the workspace’s own rows only. A provisioning file that names a person who signed up without an invitation must give a password.",
    toDo: "Operators run `npm run db:migrate`.",
  },
  {
    id: "gateway-numbers",
    date: "2026-11-22",
    title: "Test numbers that the gateway refuses, and headers that say more",
    concerns: ["callers"],
    changed:
      "With a test key, seven more numbers simulate what the gateway itself refuses (`402`, `404`, `409`, `429`, `500`, a missing `phoneNumberId`), and `447700900010` keeps a send `PENDING` for five seconds. `/docs/testing` lists them; `details.testNumber` marks a simulated refusal. Every answer carries `API-Version` and, where a key was proven, its mode as `X-Mode`; every error links to its page in a `Link` header.",
    toDo: "Nothing, unless your tests send to one of those numbers and expect it to be delivered.",
  },
  {
    id: "tools",
    date: "2026-11-20",
    title: "A command line, a doctor, and the docs as Markdown",
    concerns: ["callers", "operators"],
    changed:
      "Each docs page is available as Markdown: add `.md` to its URL; `/llms.txt` lists them. `waitFor` of `/docs/client.ts` takes `onMessage`, which is called with each status. With the gateway’s source, `npm run cli` sends, follows a message, lists templates, tails the calls and replays webhooks, and `npm run doctor` says what is wrong with a deployment.",
    toDo: "Nothing.",
  },
  {
    id: "raw-webhooks",
    date: "2026-11-20",
    title: "WhatsApp’s own messages on a message’s page",
    concerns: ["members", "operators"],
    changed:
      "Owners and admins open the raw webhook behind each step of a message’s timeline; each look is in the audit log. A refusal shows WhatsApp’s `fbtrace_id`. Raw webhooks are kept as long as contents are.",
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
      "Keys are created, rotated and revoked, members invited, templates written and contacts imported in the dashboard. Every change is in the audit log.",
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

/** The entries as the page shows them. */
export function changelogMarkdown(): string {
  return CHANGELOG.map(
    ({ id, date, title, concerns, changed, toDo }) => `## ${title} {#${id}}

${date} · ${concerns.map((reader) => READERS[reader]).join(", ")}

${changed}

**What to do:** ${toDo}`,
  ).join("\n\n");
}
