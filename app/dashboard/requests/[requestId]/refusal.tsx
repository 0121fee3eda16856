import { z } from "zod";
import { FailurePanel } from "@/app/_components/failure-panel";
import { InlineCode } from "@/app/_components/inline-code";
import { RetryChip } from "@/app/_components/retry-chip";
import { TextLink } from "@/app/_components/text-link";
import { ERROR_CATALOGUE, isErrorCode } from "@/lib/docs/error-catalogue";

/** Why a call was refused, which field is at fault, and what to do. `answer` is only given to who may see it. */
export function Refusal({ code, answer }: { code: string; answer: string | null }) {
  const page = isErrorCode(code) ? ERROR_CATALOGUE[code] : undefined;
  const refusal = readAnswer(answer);
  const issues = refusal?.details.issues ?? [];
  return (
    <div className="mb-6">
      <FailurePanel title={page ? `${page.title} (${code})` : code}>
        {refusal && issues.length < 2 ? (
          <p className="break-words text-ink">
            <InlineCode text={refusal.message} />
          </p>
        ) : null}
        {issues.length > 1 ? (
          <ul className="list-disc ps-5 text-ink">
            {issues.map(({ path, message }) => (
              <li key={`${path} ${message}`} className="break-words">
                {path ? <code className="font-mono text-sm">{path}</code> : null} {message}
              </li>
            ))}
          </ul>
        ) : null}
        {page ? (
          <p className="mt-2 flex flex-wrap items-center gap-2">
            <span className="font-medium text-ink">Retry?</span>
            <RetryChip advice={page.retry.advice} />
            <span>
              <InlineCode text={page.retry.text} />{" "}
              <TextLink href={`/docs/errors/${code}`}>What to do about it</TextLink>
            </span>
          </p>
        ) : null}
      </FailurePanel>
    </div>
  );
}

const Answer = z.object({
  message: z.string(),
  details: z.object({
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .catch(undefined),
  }),
});

/** A very long answer was cut off when it was kept, and is no JSON any more: it is shown below as it is. */
const readAnswer = (answer: string | null) => {
  try {
    return Answer.safeParse(JSON.parse(answer ?? "")).data;
  } catch {
    return undefined;
  }
};
