import { CodeBlock } from "@/app/_components/code-block";
import type { Mode } from "@/db/schema/identity";
import { firstCallSnippets } from "@/lib/docs/first-call-snippets";

type Props = { origin: string; apiKey: string | undefined; mode: Mode };

/** The first call in three languages. The secret is read from the environment, never written here. */
export function SendSnippets({ origin, apiKey, mode }: Props) {
  return (
    <div className="mt-3 grid gap-3">
      {firstCallSnippets({ origin, apiKey, mode }).map(({ language, code }, index) => (
        <details key={language} open={index === 0}>
          <summary className="rounded-control py-1 text-link">{language}</summary>
          <CodeBlock label={`First call in ${language}`} code={code} />
        </details>
      ))}
    </div>
  );
}
