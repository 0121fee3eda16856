import type { Tokens } from "marked";
import { CodeTabs } from "@/app/_components/call-snippets";
import { CodeBlock, CodeText } from "@/app/_components/code-block";
import { highlighted } from "@/lib/docs/highlight";
import { LANGUAGES, type Language } from "@/lib/docs/snippets";

/** Code under one caption: a block, or one for each language. */
export function CodeGroup({ caption, codes }: { caption: string; codes: readonly Tokens.Code[] }) {
  const [first, ...others] = codes;
  if (first && others.length === 0) return <HighlightedCode caption={caption} code={first} />;
  return (
    <CodeTabs
      label={caption}
      options={Object.fromEntries(codes.map(({ lang = "" }) => [choiceOf(lang), FENCES[lang]?.word]))}
      blocks={Object.fromEntries(
        codes.map((code) => [
          choiceOf(code.lang ?? ""),
          <HighlightedCode key={code.lang} caption={caption} code={code} isRun />,
        ]),
      )}
    />
  );
}

const choiceOf = (fence: string): Language => FENCES[fence]?.choice ?? "curl";

/** The choice that a fence belongs to, and its word: JavaScript and TypeScript are one, since a block of calls has one of them. */
const FENCES: Record<string, { choice: Language; word: string }> = {
  sh: { choice: "curl", word: LANGUAGES.curl },
  js: { choice: "node", word: LANGUAGES.node },
  ts: { choice: "node", word: "TypeScript" },
  python: { choice: "python", word: LANGUAGES.python },
  json: { choice: "json", word: LANGUAGES.json },
};

type BlockProps = {
  caption: string;
  code: Tokens.Code;
  /** Where JSON is what a call sends, not what it returns. */
  isRun?: boolean;
};

async function HighlightedCode({ caption, code: { lang = "", text }, isRun = false }: BlockProps) {
  return (
    <CodeBlock
      label={caption}
      code={<CodeText tokens={await highlighted(text, lang)} />}
      canCopy={isRun || !IS_RESPONSE.has(lang)}
    />
  );
}

/** Languages of what is read rather than run. */
const IS_RESPONSE = new Set(["json", "http"]);
