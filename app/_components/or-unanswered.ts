import { unstable_rethrow } from "next/navigation";
import type { ActionState } from "@/lib/auth/action";

/** A state for a server that cannot be reached, or fails: the error page would take what was typed. */
export async function orUnanswered<Value>(answer: Promise<ActionState<Value>>): Promise<ActionState<Value>> {
  try {
    return await answer;
  } catch (error) {
    unstable_rethrow(error);
    return {
      ok: false,
      message: "No valid response from the server. Reload the page to see whether this was done.",
      issues: {},
    };
  }
}
