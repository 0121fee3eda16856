import { z } from "zod";
import { createKey, revokeKey, rotateKey } from "@/lib/api-keys/change-key";
import { changeLimits } from "@/lib/api-keys/change-limits";
import { LimitFields, toKeyLimits } from "@/lib/api-keys/limit-fields";
import { listKeys } from "@/lib/api-keys/queries";
import { type KeyLimits, PERMISSIONS } from "@/lib/core/principal";
import { OVERLAPS, type Overlap } from "@/lib/core/secret-life";
import { characterCount } from "@/lib/core/text";
import { command } from "@/lib/workspaces/record-audit";
import { type Arguments, required, UsageError } from "../../clients/typescript/src/cli/command-line";
import { oneOf, runCommand, workspaceOf } from "../operator-command";

const USAGE = `Usage: switchboard keys list   --workspace REF
       switchboard keys create --workspace REF --label LABEL --mode live|test [LIMITS]
       switchboard keys limit  --workspace REF --key pk_… [LIMITS]
       switchboard keys rotate --workspace REF --key pk_… [--overlap now|15m|1h|24h]
       switchboard keys revoke --workspace REF --key pk_…

REF is the workspace's ref of the provisioning file, or its id. A new secret is printed once and never again; after a
rotation the one before works until the overlap (24h unless you say) ends. A revoked key is refused from the next request on, for good.

LIMITS, each left out for none; \`limit\` sets them in place of those before:
  --permissions send,status,templates   --lines pn_…,pn_…   --templates NAME,NAME
  --ip-ranges 203.0.113.0/24,2001:db8::/32   --monthly-cap 5000   --expires 2027-03-01T00:00:00Z
`;

const NAMES = ["list", "create", "limit", "rotate", "revoke"] as const;
const MAX_LABEL_CHARACTERS = 50;
const BY = command("keys");

/** The option of each field. */
const LIMITS = {
  permissions: "permissions",
  phoneNumberIds: "lines",
  templateNames: "templates",
  ipRanges: "ip-ranges",
  monthlyCap: "monthly-cap",
} as const;

const CHANGES: Record<(typeof NAMES)[number], (given: Arguments) => Promise<unknown>> = {
  list: async (given) => ({ apiKeys: await listKeys(await workspaceOf(given)) }),
  create: async (given) => {
    const key = { label: labelOf(given), mode: modeOf(given), limits: limitsIn(given), expiresAt: expiryIn(given) };
    return createKey(await workspaceOf(given), key, BY);
  },
  limit: async (given) => {
    const [apiKey, limits, expiresAt] = [keyOf(given), limitsIn(given), expiryIn(given)];
    await changeLimits(await workspaceOf(given), { apiKey, limits, expiresAt: () => expiresAt }, BY);
    return { apiKey, limits, expiresAt };
  },
  rotate: async (given) => {
    const key = { apiKey: keyOf(given), overlap: overlapOf(given) };
    return rotateKey(await workspaceOf(given), key, BY);
  },
  revoke: async (given) => {
    const apiKey = keyOf(given);
    return revokeKey(await workspaceOf(given), apiKey, BY);
  },
};

const OPTIONS = ["workspace", "label", "mode", "key", "overlap", ...Object.values(LIMITS), "expires"];

export function keys(args: string[]): Promise<void> {
  return runCommand({ usage: USAGE, options: OPTIONS, words: 1, args }, async (given) => {
    const change = CHANGES[oneOf(NAMES, given.positionals[0], "The first word")];
    return { answer: await change(given) };
  });
}

function keyOf({ option }: Arguments): string {
  return required(option("key"), "--key pk_…");
}

function labelOf({ option }: Arguments): string {
  const label = required(option("label"), "--label LABEL");
  if (characterCount(label) <= MAX_LABEL_CHARACTERS && !/\p{Cc}/u.test(label)) return label;
  throw new UsageError(`--label must have at most ${MAX_LABEL_CHARACTERS} characters, on one line.`);
}

function modeOf({ option }: Arguments): "live" | "test" {
  return oneOf(["live", "test"], option("mode"), "--mode");
}

function overlapOf({ option }: Arguments): Overlap {
  return oneOf(OVERLAPS, option("overlap") ?? "24h", "--overlap");
}

function limitsIn({ option }: Arguments): KeyLimits {
  const list = (name: string) => option(name)?.split(",");
  const parsed = LimitFields.safeParse({
    permissions: list(LIMITS.permissions) ?? [...PERMISSIONS],
    phoneNumberIds: list(LIMITS.phoneNumberIds),
    templateNames: list(LIMITS.templateNames),
    ipRanges: option(LIMITS.ipRanges),
    monthlyCap: option(LIMITS.monthlyCap),
  });
  if (parsed.success) return toKeyLimits(parsed.data);
  const [issue] = parsed.error.issues;
  const name = Object.entries(LIMITS).find(([field]) => field === issue?.path[0])?.[1];
  throw new UsageError(`--${name}: ${issue?.message}`);
}

function expiryIn({ option }: Arguments): Date | null {
  const given = option("expires");
  if (given === undefined) return null;
  if (z.iso.datetime({ offset: true }).safeParse(given).success) return new Date(given);
  throw new UsageError("--expires must be a time such as 2027-03-01T00:00:00Z.");
}
