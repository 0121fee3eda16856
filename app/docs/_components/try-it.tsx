import { unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/link";
import { findUsableKey } from "@/lib/api-keys/queries";
import { currentMember } from "@/lib/auth/page-member";
import { errorFields, log } from "@/lib/core/log";
import { withQuery } from "@/lib/core/query-string";
import { CALLS_OF } from "@/lib/docs/calls";
import { jsonText } from "@/lib/docs/literals";
import type { Reference, ReferenceOperation } from "@/lib/docs/reference";
import { can } from "@/lib/workspaces/roles";
import { OpenTrial } from "./open-trial";

type Props = { operation: ReferenceOperation; headers: Reference["headers"]; reader: DocsReader };

/** Sends the example of an endpoint to this deployment, for readers who may have a test key. */
export function TryIt({ operation, headers, reader }: Props) {
  const anchor = `try-${operation.id}`;
  return (
    <section
      id={anchor}
      aria-label={`Try it: ${operation.summary}`}
      className="grid grid-cols-1 gap-3 rounded-card border border-hairline p-4"
    >
      <p className="font-medium">Try it</p>
      {bodyOf({ operation, headers, reader }, anchor)}
    </section>
  );
}

const bodyOf = ({ operation, headers, reader }: Props, anchor: string): ReactNode => {
  switch (reader.kind) {
    case "stranger":
      return (
        <p className="text-muted">
          <TextLink href={withQuery("/sign-in", { callbackUrl: `/docs/reference#${anchor}` })} prefetch={false}>
            Sign in
          </TextLink>{" "}
          to send this request from here with a test key. No real message is sent.
        </p>
      );
    case "member":
      return (
        <p className="text-muted">
          This needs an API key, and only owners and admins of {reader.workspace} have access to keys. You can{" "}
          <TextLink href="/dashboard/send?mode=test">send a test message</TextLink> without one.
        </p>
      );
    case "keyHolder": {
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
          workspace={reader.workspace}
          workspaceId={reader.workspaceId}
        />
      );
    }
    default:
      return reader satisfies never;
  }
};

/** Who reads the docs: a stranger, a member without access to keys, or one who has it. */
export type DocsReader =
  | { kind: "stranger" }
  | { kind: "member"; workspace: string }
  | { kind: "keyHolder"; workspace: string; workspaceId: string };

type Read = { reader: DocsReader; apiKey: string | null };

/**
 * The reader, and the id of the newest test key of their workspace for owners and admins; null for all others. The docs
 * are there without a database too.
 */
export async function docsReader(): Promise<Read> {
  try {
    const member = await currentMember();
    if (!member) return STRANGER;
    const { workspaceId, workspace, role } = member;
    if (!can(role, "seeApiKeys")) return { reader: { kind: "member", workspace: workspace.name }, apiKey: null };
    const apiKey = (await findUsableKey(workspaceId, "test")) ?? null;
    return { reader: { kind: "keyHolder", workspace: workspace.name, workspaceId }, apiKey };
  } catch (error) {
    unstable_rethrow(error);
    log("warn", "docs.key-not-read", errorFields(error));
    return STRANGER;
  }
}

export const STRANGER = { reader: { kind: "stranger" }, apiKey: null } satisfies Read;
