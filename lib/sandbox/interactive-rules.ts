import { z } from "zod";
import { INTERACTIVE } from "@/lib/whatsapp/interactive";
import { GraphError } from "./graph-error";
import { parseShape } from "./shape";

/** Checks a message's `interactive` object against the limits of its type; throws WhatsApp's refusal. */
export function checkInteractive(interactive: unknown): void {
  const { type } = parseShape(z.looseObject({ type: z.string() }), interactive, ["interactive"]);
  if (PROGRAM_TYPES.has(type)) return;
  const schema = INTERACTIVE.get(type);
  if (!schema) throw new GraphError(131009, `Param interactive['type'] "${type}" is not a known interactive type.`);
  parseShape(schema, interactive, ["interactive"]);
}

/** Types of special programmes and countries: WhatsApp takes them, their rules are not public enough to play. */
const PROGRAM_TYPES = new Set([
  "call_permission_request",
  "voice_call",
  "request_contact_info",
  "address_message",
  "order_details",
  "order_status",
]);
