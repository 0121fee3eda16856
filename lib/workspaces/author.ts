/** Who makes a change: a signed-in user by id, or a program by name; WhatsApp, where its webhooks show one. */
export type Actor = { kind: "user" | "provisioner" | "command" | "platform"; id: string };

/** An actor, and the request in which it acts where there is one. */
export type Author = { actor: Actor; requestId: string | null };

/** A program that an operator runs. */
export function command(name: string): Author {
  return { actor: { kind: "command", id: name }, requestId: null };
}

/** The id of the user who acts; null where a program does. */
export function userBehind({ actor }: Author): string | null {
  return actor.kind === "user" ? actor.id : null;
}

export const WHATSAPP: Author = { actor: { kind: "platform", id: "WhatsApp" }, requestId: null };
