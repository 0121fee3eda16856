import { encryptionKeys } from "@/lib/core/encryption-keys";
import { toEventResource } from "@/lib/public-api/event-resource";
import type { Claimed } from "./claim-deliveries";
import { openSecret, signingKey } from "./endpoint-secret";
import { FIXED_HEADERS, signatureHeaders } from "./signature";

/** Why nothing was sent, in words. */
export class NotSent extends Error {}

export type SignedRequest = { headers: Record<string, string>; body: string };

/** What is posted of a delivery in an attempt at the instant `at`. Throws NotSent where its secret cannot be read. */
export function signedRequest(delivery: Claimed, at: Date): SignedRequest {
  const body = JSON.stringify(toEventResource(delivery));
  const signed = signatureHeaders({ id: delivery.id, at, body }, signingKeys(delivery));
  return { headers: { ...FIXED_HEADERS, ...signed }, body };
}

const signingKeys = ({ workspaceId, endpointId, secret, previousSecret }: Claimed): Buffer[] => {
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret];
  try {
    return sealed.map((one) => signingKey(openSecret(one, { workspaceId, id: endpointId }, encryptionKeys())));
  } catch {
    throw new NotSent("The endpoint's secret opens under no configured ENCRYPTION_KEY. Rotate the secret.");
  }
};
