import { env } from "@/lib/env";
import { askAddress } from "./ask-address";
import { certainSkewMs, judgeSkew } from "./clock-skew";
import { type Finding, failed, passed, warned } from "./finding";

/** An HTTP date has no parts of a second. */
const DATE_GRAIN_MS = 1_000;

/** Any answer will do: without a token the platform refuses. `isNeeded`: a live line speaks to it. */
export const checkPlatform = async (isNeeded: boolean): Promise<Finding[]> => {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const { host } = new URL(WHATSAPP_GRAPH_URL);
  const answer = await askAddress(`${WHATSAPP_GRAPH_URL}/${WHATSAPP_GRAPH_VERSION}/`);
  if ("fault" in answer) {
    const words = `The platform at ${host}: ${answer.fault}`;
    if (isNeeded) return [failed("platform", words, "Let this machine reach it, or mend WHATSAPP_GRAPH_URL.")];
    return [warned("platform", words, "No live line needs it yet; test mode works without it.")];
  }
  const reached = passed("platform", `The platform answers at ${host}`);
  const dateMs = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(dateMs)) return [reached];
  return [reached, judgeSkew("platform clock", "the platform’s", certainSkewMs(answer, dateMs, DATE_GRAIN_MS))];
};
