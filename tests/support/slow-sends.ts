import { setTimeout as sleep } from "node:timers/promises";
import { PHONE } from "./sends";
import { type Answer, platformRequests, request, scriptPlatform, type TestWorkspace } from "./workspace";

const TEXT = JSON.stringify({ type: "text", phone: PHONE, content: "Hello" });
const SLOW = 5;

/** A send through another server than the run's own. */
export const sendTo = (baseUrl: string, { apiKey, apiSecret, clientAddress }: TestWorkspace): Promise<Answer> =>
  request("POST", `${baseUrl}/api/v1/public/messages/send`, {
    body: TEXT,
    headers: { apiKey, apiSecret, "x-forwarded-for": clientAddress, "Content-Type": "application/json" },
  });

/** Sends that WhatsApp answers after 2.5 s; resolves once it has all of them. */
export const sendSlowly = async (
  baseUrl: string,
  workspace: TestWorkspace,
): Promise<{ answers: Promise<Answer[]> }> => {
  const line = workspace.whatsappPhoneNumberId;
  await scriptPlatform(
    line,
    "messages",
    Array.from({ length: SLOW }, () => ({ delayMs: 2_500 })),
  );
  const answers = Promise.all(Array.from({ length: SLOW }, () => sendTo(baseUrl, workspace)));
  while ((await platformRequests(line)).length < SLOW) await sleep(50);
  return { answers };
};
