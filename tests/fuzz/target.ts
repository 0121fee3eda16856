import { startInstance, testServers } from "../support/environment";
import { signIn } from "../support/session";
import { carouselRecord, ORDER } from "../support/template-records";
import { provisionWorkspace } from "../support/workspace";
import type { Vocabulary } from "./values";

/** A server of its own without limits in the way, and a workspace to name in requests. */
export const startFuzzTarget = async () => {
  const instance = await startInstance({
    PUBLIC_API_IP_RATE_LIMIT: "100000000",
    PUBLIC_API_KEY_RATE_LIMIT: "100000000",
    LOG_LEVEL: "error",
  });
  const workspace = await provisionWorkspace({
    templates: [ORDER, carouselRecord()],
    contacts: [{ ref: "ada", phone: "447700900123" }],
  });
  const sent = await workspace.send({ type: "text", phone: "447700900123", content: "Hi" });
  const words: Vocabulary = {
    apiKey: workspace.apiKey,
    apiSecret: workspace.apiSecret,
    cookie: await signIn(workspace.owner),
    workspaceId: workspace.workspaceId,
    phoneNumberId: workspace.phoneNumberId,
    contactId: workspace.contacts.ada ?? "",
    messageId: sent.body.data.id,
    whatsappMessageId: sent.body.data.chatMessageId ?? "",
    whatsappPhoneNumberId: workspace.whatsappPhoneNumberId,
    whatsappBusinessAccountId: workspace.whatsappBusinessAccountId,
    templates: [ORDER.name, "summer_offers", "no_such_template"],
  };
  return { ...instance, words, secret: testServers().environment.WHATSAPP_APP_SECRET ?? "" };
};
