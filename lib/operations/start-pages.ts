import { onQueued } from "@/lib/core/due-work";
import { errorFields, log } from "@/lib/core/log";
import { frontDoor } from "@/lib/core/own-server";
import { wakeMailer } from "./send-mails";
import { prepareHosted, startWork } from "./start-server";

/** Sets up a process that runs Next. Without a front door it also does the server's work. */
export async function startPages(): Promise<void> {
  const door = frontDoor();
  if (!door) {
    if (!(await prepareHosted())) return;
    startWork();
  } else onQueued("mails", wakeMailer);
  quietUnknownActions();
  logPageErrors();
  door?.open?.();
}

/** Silences Next's stack trace for an unknown action id: a made-up one, or one from a page of the last release. */
function quietUnknownActions() {
  const warn = console.warn;
  console.warn = (...words: unknown[]) => {
    const [first] = words;
    if (first instanceof Error && /^(Failed to find Server Action|The Server Reference ID)/.test(first.message))
      return log("info", "action.unknown");
    warn(...words);
  };
}

/** Logs page errors as one line. Next would log the whole error, with an SQL statement and its values. */
function logPageErrors() {
  const write = console.error;
  console.error = (...words: unknown[]) => {
    const error = words.find((word) => word instanceof Error);
    if (!error) return write(...words);
    // The page shows the digest, so that the operator can find the log line.
    const digest = "digest" in error ? String(error.digest) : undefined;
    log("error", "page.failed", { digest, ...errorFields(error) });
  };
}
