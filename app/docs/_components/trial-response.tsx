import { CodeBlock } from "@/app/_components/code-block";
import { CodeText } from "@/app/_components/code-text";
import { statusText } from "@/app/_components/http-status";
import { TextLink } from "@/app/_components/text-link";
import { jsonTokens } from "@/lib/docs/code-tokens";
import type { TrialAnswer } from "./trial-call";

/** A response as a program gets it: status, time, headers and body. */
export function TrialResponse({ answer }: { answer: TrialAnswer | undefined }) {
  return (
    <div className="grid grid-cols-1 gap-3 empty:hidden">
      <p role="status" className="font-medium empty:sr-only">
        {answer ? (
          <>
            <span className={answer.status < 400 ? "text-good" : "text-bad"}>{statusText(answer.status)}</span>
            <span className="font-normal text-muted"> in {answer.ms} ms</span>
          </>
        ) : null}
      </p>
      {answer ? (
        <>
          <CodeBlock label="Response body" code={<CodeText tokens={jsonTokens(answer.text)} />} />
          <CodeBlock
            label="Response headers"
            code={answer.headers.map(([name, value], index) => (
              <span key={name}>
                {index > 0 ? "\n" : ""}
                <span className="text-sent">{name}</span>: {value}
              </span>
            ))}
          />
          <p className="flex flex-wrap gap-x-4 gap-y-1">
            {answer.error ? (
              <TextLink href={`/docs/errors/${answer.error}`} prefetch={false}>
                What {answer.error} means
              </TextLink>
            ) : null}
            {answer.requestId ? (
              <TextLink href={`/dashboard/requests/${answer.requestId}`} prefetch={false}>
                Open in the request log
              </TextLink>
            ) : null}
          </p>
        </>
      ) : null}
    </div>
  );
}
