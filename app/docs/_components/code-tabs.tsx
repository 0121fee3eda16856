"use client";

import type { ReactNode } from "react";
import { Choice, useLanguage } from "@/app/_components/choice";
import type { Language } from "@/lib/docs/snippets";

type Props = {
  label: string;
  options: Partial<Record<Language, string>>;
  blocks: Partial<Record<Language, ReactNode>>;
};

/** The same call in several languages, of which one is in sight. */
export function CodeTabs({ label, options, blocks }: Props) {
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
