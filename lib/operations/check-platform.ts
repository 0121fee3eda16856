import { env } from "@/lib/core/env";
import { isRecord } from "@/lib/core/is-record";
import { askAddress } from "./ask-address";
import { certainSkewMs, judgeSkew } from "./clock-skew";
import { type Finding, failed, passed, warned } from "./finding";

/** An HTTP date has no parts of a second. */
const DATE_GRAIN_MS = 1_000;

/** Any JSON will do: without a token WhatsApp refuses. A page of a proxy is none. `isNeeded`: a live line uses it. */
export async function checkPlatform(isNeeded: boolean): Promise<Finding[]> {
  const { WHATSAPP_GRAPH_URL, WHATSAPP_GRAPH_VERSION } = env();
  const { host } = new URL(WHATSAPP_GRAPH_URL);
  const answer = await askAddress(`${WHATSAPP_GRAPH_URL}/${WHATSAPP_GRAPH_VERSION}/`);
  const fault = "fault" in answer ? answer.fault : isJson(answer.text) ? undefined : notWhatsapp(answer.status);
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

const notWhatsapp = (status: number): string => `HTTP ${status} with an answer that is not WhatsApp’s, as of a proxy`;

const isJson = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
};
