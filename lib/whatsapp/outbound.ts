import type { TemplateComponent } from "./components";

/**
 * An outgoing message in our format; `lib/whatsapp/message-payload` converts it to WhatsApp's. `to` is digits,
 * or the user id of a person who shows no number.
 */
export type OutboundMessage = { to: string } & (
  | { type: "text"; text: string }
  | { type: "interactive"; interactive: Record<string, unknown> }
  | {
      type: "template";
      name: string;
      language: string;
      /** Built by us from the stored template, or the caller's own, forwarded unchanged. */
      components: { built: TemplateComponent[] } | { given: unknown[] };
    }
);
