import { API_ROOT } from "@/lib/api/endpoint";
import type { KeyLimits } from "@/lib/core/principal";
import { PHONE } from "../../support/sends";
import type { Target } from "./entry";

type Call = "send" | "status" | "templates";

/** Of a key with one limit: what it limits to, in the target's workspace, and what each endpoint answers to a call beyond it. */
export type LimitRow = {
  limits: (target: Target) => KeyLimits;
  isExpired?: true;
  expected: Record<Call, string>;
};

/** A row for every limit that a key may have. */
export const KEY_LIMITS: Record<keyof KeyLimits | "expiresAt", LimitRow[]> = {
  permissions: [
    {
      limits: () => ({ permissions: ["send"] }),
      expected: { send: "201", status: "403 permission", templates: "403 permission" },
    },
    {
      limits: () => ({ permissions: ["status"] }),
      expected: { send: "403 permission", status: "200", templates: "403 permission" },
    },
    {
      limits: () => ({ permissions: ["templates"] }),
      expected: { send: "403 permission", status: "403 permission", templates: "200" },
    },
  ],
  phoneNumberIds: [
    {
      limits: ({ lines }) => ({ phoneNumberIds: [lines.second?.id ?? ""] }),
      expected: { send: "403 line", status: "404", templates: "200" },
    },
  ],
  templateNames: [
    {
      limits: () => ({ templateNames: ["order_ready"] }),
      expected: { send: "403 template", status: "200", templates: "200" },
    },
  ],
  ipRanges: [
    {
      limits: () => ({ ipRanges: ["192.0.2.0/24"] }),
      expected: { send: "403 ip", status: "403 ip", templates: "403 ip" },
    },
  ],
  // Of the one message that the key has sent.
  monthlyCap: [
    {
      limits: () => ({ monthlyCap: 1 }),
      expected: { send: "402 monthly_cap", status: "200", templates: "200" },
    },
  ],
  expiresAt: [{ limits: () => ({}), isExpired: true, expected: { send: "401", status: "401", templates: "401" } }],
};

/** The calls, about the target's own line and message. */
export const LIMITED_CALLS: Record<Call, (target: Target) => { method: string; path: string; body?: unknown }> = {
  send: ({ phoneNumberId }) => ({
    method: "POST",
    path: `${API_ROOT}/messages/send`,
    body: { type: "text", phone: PHONE, content: "Hi", phoneNumberId },
  }),
  status: ({ messageId }) => ({ method: "GET", path: `${API_ROOT}/messages/${messageId}` }),
  templates: () => ({ method: "GET", path: `${API_ROOT}/templates` }),
};
