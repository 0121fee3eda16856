import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { findUsableKey } from "@/lib/api-keys/queries";
import type { Member } from "@/lib/auth/member";
import { currentMember } from "@/lib/auth/page-member";
import { errorFields, log } from "@/lib/core/log";
import { withQuery } from "@/lib/core/query-string";
import { CALLS_OF } from "@/lib/docs/calls";
import { jsonText } from "@/lib/docs/literals";
import type { Reference, ReferenceOperation } from "@/lib/docs/reference";
import { can } from "@/lib/workspaces/roles";
import { OpenTrial } from "./open-trial";

type Props = { operation: ReferenceOperation; headers: Reference["headers"]; reader: Member | undefined };

/** Sends the example of an endpoint to this deployment, with a test key of the page's own. */
export function TryIt({ operation, ...read }: Props) {
  const anchor = `try-${operation.id}`;
  return (
    <section
      id={anchor}
      aria-label={`Try it: ${operation.summary}`}
      className="grid grid-cols-1 gap-3 rounded-card border border-hairline p-4"
    >
      <p className="font-medium">Try it</p>
      {bodyOf({ operation, ...read }, anchor)}
    </section>
  );
}

function bodyOf({ operation, headers, reader }: Props, anchor: string): ReactNode {
  if (!reader) {
    return (
      <p className="text-muted">
        <TextLink href={withQuery("/sign-in", { callbackUrl: `/docs/reference#${anchor}` })}>Sign in</TextLink> to send
        this request from here with a test key. No real message is sent.
      </p>
    );
  }
  const { workspace, workspaceId } = reader;
  const { id, method, path, parameters } = operation;
  const bodies = Object.entries(CALLS_OF[id] ?? {}).flatMap(([type, { body }]) =>
    body === undefined ? [] : [[type, jsonText(body)] as const],
  );
  return (
    <OpenTrial
      endpoint={{
        id,
        method,
        path,
        parameters: parameters.map(({ path: name, place, isRequired }) => ({ name, place, isRequired })),
        bodies: Object.fromEntries(bodies),
        headers: headers.map(({ name }) => name),
      }}
      workspace={workspace.name}
      workspaceId={workspaceId}
    />
  );
}

/** The member who reads the docs, if one does, and for owners and admins the id of their workspace's newest test key. */
export type DocsReader = { reader: Member | undefined; apiKey: string | null };

export const STRANGER: DocsReader = { reader: undefined, apiKey: null };

/** The docs are there without a database too. */
export async function docsReader(): Promise<DocsReader> {
  try {
    const reader = await currentMember();
    if (!reader || !can(reader.role, "seeApiKeys")) return { reader, apiKey: null };
    return { reader, apiKey: (await findUsableKey(reader.workspaceId, "test")) ?? null };
  } catch (error) {
    unstable_rethrow(error);
    log("warn", "docs.key-not-read", errorFields(error));
    return STRANGER;
  }
}
