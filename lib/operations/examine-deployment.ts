import { isNull } from "drizzle-orm";
import type { Sql } from "postgres";
import { onDatabase } from "@/db/client";
import { columnsOf } from "@/db/columns";
import { onSql } from "@/db/raw-sql";
import { type PhoneNumber, phoneNumbers } from "@/db/schema";
import { currentSeal, encryptionKeys, tryDecrypt } from "@/lib/core/crypto";
import { EnvError, env } from "@/lib/core/env";
import { type Finding, failed, passed, warned } from "@/lib/core/finding";
import { isRecord, readJson } from "@/lib/core/json";
import { sendsMail } from "@/lib/mail/queue-mail";
import { MailFailure, tryMailServer } from "@/lib/mail/smtp";
import { lastSweepSeconds } from "@/lib/messages/send/sweep-queries";
import { askAddress, certainSkewMs, judgeSkew } from "./ask-address";
import { checkAddress } from "./check-address";
import { checkDatabase } from "./check-database";
import { checkLimiter } from "./check-limiter";

/** Checks everything that a deployment needs, in order of dependency. Read-only. */
export async function* examineDeployment(): AsyncGenerator<Finding> {
  const variables = checkVariables();
  yield* variables;
  if (variables.some(({ state }) => state === "failed")) return;
  const database = await checkDatabase();
  yield* database;
  const hasSchema = database.some(({ name, state }) => name === "schema" && state === "passed");
  const lines = hasSchema ? await listStoredLines() : undefined;
  yield* await checkLimiter();
  yield* await checkPlatform(lines?.some(({ mode }) => mode === "live") ?? true);
  yield* await checkAddress();
  if (sendsMail()) yield await checkMail(hasSchema);
  if (lines) yield checkTokens(lines);
  yield await checkSweeper(hasSchema);
}

function checkVariables(): Finding[] {
  try {
    env();
    return [passed("variables", "The variables are complete")];
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return error.faults.map((fault) => failed("variables", fault, "It is described in .env.example."));
  }
}

/** Tries a mail to an address that alerts would go to, as far as the server says anything. Sends nothing. */
async function checkMail(hasSchema: boolean): Promise<Finding> {
  const [person] = hasSchema ? await onSql(findConfirmedAddress) : [];
  try {
    await tryMailServer(person?.email);
    return passed("mail", "The mail server accepts this deployment, its sender and a recipient");
  } catch (error) {
    const { message, refused, step } = error instanceof MailFailure ? error : new MailFailure("unknown");
    if (refused !== "recipient") {
      const advice =
        MAIL_ADVICE[step] ??
        "Check its host, port and certificate; NODE_EXTRA_CA_CERTS names a file with a private authority’s.";
      return failed(
        "mail",
        `The mail server of SMTP_URL refuses this deployment or cannot be reached (${message})`,
        advice,
      );
    }
    const words = `The mail server accepts this deployment, but not the recipient that was tried (${message})`;
    return warned("mail", words, "Check that MAIL_FROM, or the address of the member who confirmed last, exists.");
  }
}

const findConfirmedAddress = (sql: Sql) => sql<{ email: string }[]>`
  select email from users where email_confirmed_at is not null order by email_confirmed_at desc limit 1`;

const MAIL_ADVICE: Record<string, string> = {
  AUTH: "Check user and password in SMTP_URL, percent-encoded; many hosts want an app password.",
  "MAIL FROM": "Let the user of SMTP_URL send as the address of MAIL_FROM, or set MAIL_FROM to one that it may use.",
  "RCPT TO":
    "Let the server relay for this deployment: put user and password into SMTP_URL, or allow its address there.",
};

/** A pass is due every 30 s; on Vercel every minute. */
const LATE_SWEEP_SECONDS = 300;

async function checkSweeper(hasSchema: boolean): Promise<Finding> {
  const { VERCEL, CRON_SECRET } = env();
  if (VERCEL && !CRON_SECRET) {
    const words = "Without CRON_SECRET the scheduler is refused, and unfinished messages are never settled";
    return failed("sweeper", words, "Set CRON_SECRET in the project’s variables.");
  }
  const seconds = hasSchema ? await lastSweepSeconds() : null;
  const words = seconds === null ? "No sweep has run yet" : `The last sweep ran ${Math.round(seconds)} s ago`;
  if (seconds !== null && seconds < LATE_SWEEP_SECONDS) return passed("sweeper", words);
  const advice = VERCEL
    ? "On the Hobby plan Vercel’s cron jobs run once a day: use Pro, or call /api/cron/sweep with CRON_SECRET every minute."
    : "Start the server, which sweeps every 30 s; its log says why a pass failed.";
  return warned("sweeper", words, advice);
}

/** An HTTP date has whole seconds. */
const DATE_GRAIN_MS = 1_000;

/** Checks that WhatsApp returns JSON, such as an error for a missing token. `isNeeded`: a live line uses it. */
async function checkPlatform(isNeeded: boolean): Promise<Finding[]> {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const { host } = new URL(WHATSAPP_GRAPH_URL);
  const answer = await askAddress(`${WHATSAPP_GRAPH_URL}/${WHATSAPP_GRAPH_VERSION}/`);
  const fault =
    "fault" in answer ? answer.fault : isRecord(readJson(answer.text)) ? undefined : notWhatsapp(answer.status);
  if ("fault" in answer || fault !== undefined) {
    const words = `We could not reach WhatsApp at ${host}: ${fault}`;
    if (isNeeded) return [failed("platform", words, "Let this server reach it, or correct WHATSAPP_GRAPH_URL.")];
    return [warned("platform", words, "No live line needs it yet; test mode works without it.")];
  }
  const reached = passed("platform", `WhatsApp answers at ${host}`);
  const dateMs = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(dateMs)) return [reached];
  return [reached, judgeSkew("platform clock", "WhatsApp’s", certainSkewMs(answer, dateMs, DATE_GRAIN_MS))];
}

const notWhatsapp = (status: number): string => `HTTP ${status} with a response not from WhatsApp, like a proxy’s`;

type StoredLine = Pick<PhoneNumber, "workspaceId" | "id" | "mode" | "accessToken">;

const MAX_NAMED = 5;

/** Returns the lines of all workspaces, for the operator's check, which reports only counts and ids. */
const listStoredLines = (): Promise<StoredLine[]> =>
  onDatabase((db) =>
    db
      .select(columnsOf(phoneNumbers, "workspaceId", "id", "mode", "accessToken"))
      .from(phoneNumbers)
      .where(isNull(phoneNumbers.disconnectedAt)),
  );

/** Checks that the environment's keys decrypt every stored token. */
function checkTokens(lines: readonly StoredLine[]): Finding {
  const keys = encryptionKeys();
  const unreadable = lines.flatMap(({ workspaceId, id, accessToken }) => {
    const row = `${workspaceId}/${id}`;
    return tryDecrypt(accessToken, row, keys) === undefined ? [row] : [];
  });
  if (unreadable.length > 0) {
    const named = [...unreadable.slice(0, MAX_NAMED), ...(unreadable.length > MAX_NAMED ? ["…"] : [])].join(", ");
    const words = `${unreadable.length} of ${lines.length} stored tokens cannot be decrypted with any key of this environment: ${named}`;
    const advice =
      "Set ENCRYPTION_KEY (or ENCRYPTION_KEY_PREVIOUS) to the key that wrote them, or connect the lines again.";
    return failed("tokens", words, advice);
  }
  const older = lines.filter(({ accessToken }) => !accessToken.startsWith(currentSeal(keys))).length;
  if (older === 0) return passed("tokens", `ENCRYPTION_KEY opens every stored token (${lines.length})`);
  const words = `${older} of ${lines.length} stored tokens still need ENCRYPTION_KEY_PREVIOUS`;
  return warned("tokens", words, "Run `npm run switchboard -- encryption-rotate` before you remove it.");
}
