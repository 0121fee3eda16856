import { AppError } from "@/lib/core/app-error";
import { RESET_MINUTES } from "./reset-minutes";

/** In the fragment, the token reaches no server's log and no Referer; the page posts it. */
export function resetAddress(appUrl: string, token: string): string {
  return `${appUrl}/reset-password#${token}`;
}

export function resetNoLongerGood() {
  return new AppError(
    "FORBIDDEN",
    `This link no longer works. A link works once, within ${RESET_MINUTES} minutes. Ask for a new one.`,
    { details: { retryable: false } },
  );
}
