import type { ReactNode } from "react";
import { TextLink } from "@/app/_components/text-link";
import { withQuery } from "@/lib/core/query-string";
import { CALLS_OF } from "@/lib/docs/calls";
import { jsonText } from "@/lib/docs/literals";
import type { Reference, ReferenceOperation } from "@/lib/docs/reference";
import type { DocsReader } from "./docs-reader";
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
          to send this request from here with a test key. Nothing reaches a person.
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
