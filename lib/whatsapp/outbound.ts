import type { TemplateComponent } from "./components";

/**
 * What leaves for WhatsApp, in our words; `lib/whatsapp/message-payload` writes it in WhatsApp's. `to` is digits,
 * or the user id of a person who shows no number.
 */
export type OutboundMessage = { to: string } & (
  | { type: "text"; text: string }
  | { type: "interactive"; interactive: Record<string, unknown> }
  | {
      type: "template";
      name: string;
      language: string;
      /** Built by us from the stored template, or the caller's own, which pass through untouched. */
      components: { built: TemplateComponent[] } | { given: unknown[] };
    }
);
