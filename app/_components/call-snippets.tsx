"use client";

import type { ReactNode } from "react";
import { jsonText } from "@/lib/docs/literals";
import {
  type ApiCall,
  type Caller,
  LANGUAGES,
  type Language,
  SNIPPET_LANGUAGES,
  snippetsOf,
} from "@/lib/docs/snippets";
import { Choice, useLanguage } from "./choice";
import { CodeBlock } from "./code-block";

type Props = {
  call: ApiCall;
  caller: Caller;
  /** What the call does: "Send a text". */
  label: string;
  children?: ReactNode;
};

/** A call of the API, ready to run, in the reader's language. */
export function CallSnippets({ call, caller, label, children }: Props) {
  const [chosen, choose] = useLanguage();
  const hasBody = call.body !== undefined;
  const options = hasBody ? LANGUAGES : SNIPPET_LANGUAGES;
  const language = chosen === "json" && !hasBody ? "curl" : chosen;
  const code = language === "json" ? jsonText(call.body) : snippetsOf(call, caller)[language];
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Choice label={`Language: ${label}`} options={options} value={language} onChange={choose} />
        {children}
      </div>
      <CodeBlock label={label} code={code} />
    </div>
  );
}

type CodeTabsProps = {
  label: string;
  options: Partial<Record<Language, string>>;
  blocks: Partial<Record<Language, ReactNode>>;
};

/** The same call in several languages; one is shown. */
export function CodeTabs({ label, options, blocks }: CodeTabsProps) {
  const [chosen, choose] = useLanguage();
  const shown = options[chosen] === undefined ? "curl" : chosen;
  return (
    <div className="grid grid-cols-1 gap-2">
      <div>
        <Choice label={`Language: ${label}`} options={options} value={shown} onChange={choose} />
      </div>
      {Object.entries(blocks).map(([name, block]) => (
        <div key={name} hidden={name !== shown}>
          {block}
        </div>
      ))}
    </div>
  );
}
