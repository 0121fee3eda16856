/** Who makes a change: a signed-in user by id, a program by name, or WhatsApp if a webhook reports it. */
type Actor = { kind: "user" | "provisioner" | "command" | "platform"; id: string };

/** An actor, with the request id if there is a request. */
export type Author = { actor: Actor; requestId: string | null };

/** A signed-in user. */
export function byUser(id: string, requestId: string): Author {
  return { actor: { kind: "user", id }, requestId };
}

/** A program that an operator runs. */
export function command(name: string): Author {
  return { actor: { kind: "command", id: name }, requestId: null };
}

/** Returns the id of the acting user; null for a program. */
export function userBehind({ actor }: Author): string | null {
  return actor.kind === "user" ? actor.id : null;
}

export const WHATSAPP: Author = { actor: { kind: "platform", id: "WhatsApp" }, requestId: null };
