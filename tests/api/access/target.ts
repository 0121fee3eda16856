import { endpointWithDelivery } from "../../support/endpoint-rows";
import { invitationInto } from "../../support/people";
import { requestRows } from "../../support/request-rows";
import { keyIdOf, sql } from "../../support/rows";
import { ORDER } from "../../support/template-records";
import { provisionWorkspace, report } from "../../support/workspace";
import type { Target } from "./entry";

/** A workspace that has one of everything that a row of the matrix names. */
export const furnishTarget = async (): Promise<Target> => {
  const own = await provisionWorkspace({
    templates: [ORDER],
    lines: [{ ref: "main" }, { ref: "second", isActive: false }],
  });
  const sent = await own.send({
    type: "text",
    phone: "447700900123",
    content: "Hi",
    phoneNumberId: own.phoneNumberId,
  });
  await report(own, { id: sent.body.data.chatMessageId ?? "", status: "delivered" });
  const [event] = await sql<{ id: string }[]>`select id from status_events where workspace_id = ${own.workspaceId}`;
  // A call is in the log a moment after its answer.
  const [call] = await requestRows(own, 1);
  const [contact] = await sql<{ id: string }[]>`select id from contacts where workspace_id = ${own.workspaceId}`;
  return {
    ...own,
    contactId: contact?.id ?? fail("contact"),
    messageId: sent.body.data.id,
    eventId: event?.id ?? fail("event"),
    requestId: call?.id ?? fail("call"),
    line: own.lines.main ?? fail("line"),
    templateId: own.templates["order_ready/en_US"] ?? fail("template"),
    keyId: await keyIdOf(own),
    ...(await endpointWithDelivery(own, { mode: "live", messageId: sent.body.data.id })),
    invitationToken: await invitationInto(own),
  };
};

const fail = (what: string): never => {
  throw new Error(`no ${what}`);
};
