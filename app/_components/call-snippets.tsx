"use client";

import { type ReactNode, useState } from "react";
import { type ApiCall, type Caller, jsonText, SNIPPET_LANGUAGES, snippetsOf } from "@/lib/snippets/snippets";
import { Choice } from "./choice";
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
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>("curl");
  const options = call.body === undefined ? SNIPPET_LANGUAGES : LANGUAGES;
  const code = language === "json" ? jsonText(call.body) : snippetsOf(call, caller)[language];
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Choice label={`Language: ${label}`} options={options} value={language} onChange={setLanguage} />
        {children}
      </div>
      <CodeBlock label={label} code={code} />
    </div>
  );
}

const LANGUAGES = { ...SNIPPET_LANGUAGES, json: "JSON body" };
