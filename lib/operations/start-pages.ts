import { frontDoor } from "@/lib/core/front-door";
import { errorFields, log } from "@/lib/core/log";
import { boundHostLookups } from "@/lib/media/host-lookup";
import { prepareServer, startWork } from "./start-server";

/** What a process that runs Next needs. Where it is the whole deployment, it is the server, too. */
export async function startPages(): Promise<void> {
  const door = frontDoor();
  if (door) boundHostLookups();
  else {
    await prepareServer();
    startWork();
  }
  quietUnknownActions();
  logPageErrors();
  door?.open?.();
}

/** Next writes a stack for an action's id that was made up, or that a page of the last release still holds. */
const quietUnknownActions = () => {
  const warn = console.warn;
  console.warn = (...words: unknown[]) => {
    const [first] = words;
    if (first instanceof Error && /^(Failed to find Server Action|The Server Reference ID)/.test(first.message))
      return log("info", "action.unknown");
    warn(...words);
  };
};

/** Next writes the error of a page whole, and with it a statement and its values. Here it is a line as any other. */
const logPageErrors = () => {
  const write = console.error;
  console.error = (...words: unknown[]) => {
    const error = words.find((word) => word instanceof Error);
    if (!error) return write(...words);
    // What the page shows for the operator to look for.
    const digest = "digest" in error ? String(error.digest) : undefined;
    log("error", "page.failed", { digest, ...errorFields(error) });
  };
};
