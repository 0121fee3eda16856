import { createKey, revokeKey, rotateKey } from "@/lib/api-keys/change-key";
import { OVERLAPS, type Overlap } from "@/lib/api-keys/key-age";
import { listKeys } from "@/lib/api-keys/queries";
import { characterCount } from "@/lib/core/text";
import { command } from "@/lib/workspaces/author";
import { type Arguments, required, UsageError } from "./command-line";
import { runCommand, workspaceOf } from "./operator-command";

const USAGE = `Usage: npm run --silent keys -- list   --workspace REF
       npm run --silent keys -- create --workspace REF --label LABEL --mode live|test
       npm run --silent keys -- rotate --workspace REF --key pk_… [--overlap now|15m|1h|24h]
       npm run --silent keys -- revoke --workspace REF --key pk_…

REF is the workspace's ref of the provisioning file, or its id. A new secret is printed once and never again; after a
rotation the one before works until the overlap (24h unless you say) ends. A revoked key is refused from the next request on, for good.
`;

const MAX_LABEL_CHARACTERS = 50;
const BY = command("keys");

const COMMANDS: Record<string, (given: Arguments) => Promise<unknown>> = {
  list: async (given) => ({ apiKeys: await listKeys(await workspaceOf(given)) }),
  create: async (given) => {
    const key = { label: labelOf(given), mode: modeOf(given) };
    return createKey(await workspaceOf(given), key, BY);
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

await runCommand(
  { usage: USAGE, options: ["workspace", "label", "mode", "key", "overlap"] },
  async (given): Promise<{ answer: unknown }> => {
    const [name = "", ...surplus] = given.positionals;
    const run = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (!run || surplus.length > 0) throw new UsageError(`Say one of ${Object.keys(COMMANDS).join(", ")}.`);
    return { answer: await run(given) };
  },
);

function keyOf({ option }: Arguments): string {
  return required(option("key"), "--key pk_…");
}

function labelOf({ option }: Arguments): string {
  const label = required(option("label"), "--label LABEL");
  if (characterCount(label) <= MAX_LABEL_CHARACTERS && !/\p{Cc}/u.test(label)) return label;
  throw new UsageError(`--label must have at most ${MAX_LABEL_CHARACTERS} characters, on one line.`);
}

function modeOf({ option }: Arguments): "live" | "test" {
  const mode = required(option("mode"), "--mode live|test");
  if (mode === "live" || mode === "test") return mode;
  throw new UsageError("--mode must be live or test.");
}

function overlapOf({ option }: Arguments): Overlap {
  const given = option("overlap") ?? "24h";
  const overlap = OVERLAPS.find((one) => one === given);
  if (overlap) return overlap;
  throw new UsageError(`--overlap must be one of ${OVERLAPS.join(", ")}.`);
}
