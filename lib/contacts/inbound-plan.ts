import type { InboundMessage } from "@/lib/whatsapp/inbound-webhooks";

/** An inbound message in one of the workspaces that have its line, and the contacts that it may be from. */
export type ResolvedMessage = {
  workspaceId: string;
  phoneNumberId: string;
  message: InboundMessage;
  authors: Author[];
  /** The message that it answers, as far as it is known. */
  answered: { messageId: string; contactId: string; createdAt: Date } | null;
};

export type Author = { id: string; phone: string | null };

/** What the messages change, each row at most once. */
export type InboundPlan = {
  created: NewContact[];
  seen: SeenContact[];
  aliases: { workspaceId: string; waId: string; contactId: string }[];
  /** Recipients of our messages who answered from a number that is another contact's. */
  learned: { workspaceId: string; contactId: string; waId: string; userId: null; since: Date }[];
  flowReplies: FlowReply[];
};

export type NewContact = { workspaceId: string; id: string; phone: string | null; userId: string | null };
/** A contact that wrote. `phone` is for one that had none. */
export type SeenContact = {
  workspaceId: string;
  contactId: string;
  at: Date;
  name: string | null;
  userId: string | null;
  phone: string | null;
};
export type FlowReply = {
  workspaceId: string;
  phoneNumberId: string;
  contactIds: string[];
  messageId: string | null;
  repliesTo: string | null;
};

/** Decides what a batch of inbound messages changes. A sender without a contact becomes one, under the id of `newId`. */
export const planInbound = (resolved: readonly ResolvedMessage[], newId: () => string): InboundPlan => {
  const created: NewContact[] = [];
  const seen = new Map<string, SeenContact>();
  const aliases = new Map<string, InboundPlan["aliases"][number]>();
  const plan: InboundPlan = { created, seen: [], aliases: [], learned: [], flowReplies: [] };
  const given = new Set<string>();

  // The latest first, so that the first name and user id that are met are the latest.
  const latestFirst = resolved.toSorted((a, b) => b.message.occurredAt.getTime() - a.message.occurredAt.getTime());
  for (const { workspaceId, phoneNumberId, message, authors: known, answered } of latestFirst) {
    const { from, whatsappUserId, name, occurredAt, alias } = message;
    const isThisOne = (contact: NewContact) =>
      contact.workspaceId === workspaceId &&
      ((from !== null && contact.phone === from) || (whatsappUserId !== null && contact.userId === whatsappUserId));
    const authors: Author[] = known.length > 0 ? known : created.filter(isThisOne);
    if (authors.length === 0) {
      const contact = { workspaceId, id: newId(), phone: from, userId: whatsappUserId };
      created.push(contact);
      authors.push(contact);
    }
    for (const author of authors) {
      const key = `${workspaceId}/${author.id}`;
      const before = seen.get(key);
      const isFirstNumber = author.phone === null && from !== null && !given.has(`${workspaceId}/${from}`);
      if (isFirstNumber) given.add(`${workspaceId}/${from}`);
      seen.set(key, {
        workspaceId,
        contactId: author.id,
        at: before?.at ?? occurredAt,
        name: before?.name ?? name,
        userId: before?.userId ?? whatsappUserId,
        phone: before?.phone ?? (isFirstNumber ? from : null),
      });
      for (const waId of [from, alias]) {
        if (waId === null || author.phone === null || waId === author.phone) continue;
        aliases.set(`${key}/${waId}`, { workspaceId, waId, contactId: author.id });
      }
    }
    if (answered && from !== null && authors.some(({ id, phone }) => phone === from && id !== answered.contactId)) {
      plan.learned.push({
        workspaceId,
        contactId: answered.contactId,
        waId: from,
        userId: null,
        since: answered.createdAt,
      });
    }
    if (message.isFlowReply) {
      const contactIds = authors.map(({ id }) => id);
      const messageId = answered?.messageId ?? null;
      plan.flowReplies.push({ workspaceId, phoneNumberId, contactIds, messageId, repliesTo: message.repliesTo });
    }
  }
  return { ...plan, seen: [...seen.values()], aliases: [...aliases.values()] };
};
