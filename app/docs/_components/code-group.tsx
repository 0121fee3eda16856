import type { Tokens } from "marked";
import { CodeBlock, CodeText } from "@/app/_components/code-block";
import { highlighted } from "@/lib/docs/highlight";
import { LANGUAGES, type Language } from "@/lib/docs/snippets";
import { CodeTabs } from "./code-tabs";

type Props = { caption: string; codes: readonly Tokens.Code[] };

/** Code under one caption: a block, or one for each language. */
export function CodeGroup({ caption, codes }: Props) {
  const [first, ...others] = codes;
  if (first && others.length === 0) return <HighlightedCode caption={caption} code={first} />;
  return (
    <CodeTabs
      label={caption}
      options={Object.fromEntries(codes.map(({ lang = "" }) => [languageOf(lang), WORDS[lang]]))}
      blocks={Object.fromEntries(
        codes.map((code) => [
          languageOf(code.lang ?? ""),
          <HighlightedCode key={code.lang} caption={caption} code={code} isRun />,
        ]),
      )}
    />
  );
}

/** JavaScript and TypeScript count as one choice: a block of calls has one of them. */
const languageOf = (fence: string): Language => LANGUAGE_OF[fence] ?? "curl";
const LANGUAGE_OF: Record<string, Language> = { sh: "curl", js: "node", ts: "node", python: "python", json: "json" };
const WORDS: Record<string, string> = {
  sh: LANGUAGES.curl,
  js: LANGUAGES.node,
  ts: "TypeScript",
  python: LANGUAGES.python,
  json: LANGUAGES.json,
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
