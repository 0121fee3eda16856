import type { GatewayNumber } from "./gateway-numbers";

const REFUSED_BY_THE_GATEWAY: Record<GatewayNumber, string> = {
  "447700900402": "Refused by us: plan limit (402)",
  "447700900404": "Refused by us: no such contact (404)",
  "447700900409": "Refused by us: idempotency conflict (409)",
  "447700900429": "Refused by us: the key’s limit (429)",
  "447700900430": "Refused by us: the client IP’s limit (429)",
  "447700900431": "Refused by us: which line? (400)",
  "447700900500": "Refused by us: an error of ours (500)",
};

/** Recipients of test mode that decide what happens, set aside for drama and not assigned. Every other is read, too. */
export const TEST_NUMBERS: readonly { phone: string; outcome: string }[] = [
  { phone: "447700900003", outcome: "Delivered, then read" },
  { phone: "447700900002", outcome: "Delivered, never read" },
  { phone: "447700900001", outcome: "Sent, and nothing more" },
  { phone: "447700900004", outcome: "Read without a delivery event" },
  { phone: "447700900005", outcome: "Webhooks in reverse order" },
  { phone: "447700900006", outcome: "Every webhook three times" },
  { phone: "447700900007", outcome: "Delivered after a minute" },
  { phone: "447700900009", outcome: "Failed, then delivered after all" },
  { phone: "447700900010", outcome: "Pending for 5 s, then delivered" },
  { phone: "447700900126", outcome: "Fails: cannot be reached (131026)" },
  { phone: "447700900142", outcome: "Fails: payment problem (131042)" },
  { phone: "447700900147", outcome: "Fails: more than 24 hours (131047)" },
  { phone: "447700900149", outcome: "Fails: marketing withheld (131049)" },
  { phone: "447700900150", outcome: "Fails: marketing stopped (131050)" },
  { phone: "447700900199", outcome: "Fails: an undocumented code" },
  { phone: "447700900100", outcome: "Refused: invalid parameter (100)" },
  { phone: "447700900190", outcome: "Refused: token expired (190)" },
  { phone: "447700900200", outcome: "Refused: parameter count (132000)" },
  { phone: "447700900215", outcome: "Refused: template paused (132015)" },
  { phone: "447700900256", outcome: "Refused: too many to one person (131056)" },
  { phone: "447700900502", outcome: "WhatsApp is down (502)" },
  { phone: "447700900504", outcome: "WhatsApp answers too late (504)" },
  ...Object.entries(REFUSED_BY_THE_GATEWAY).map(([phone, outcome]) => ({ phone, outcome })),
];
