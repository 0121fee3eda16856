"use client";

import { useSearchParams } from "next/navigation";
import { Notice } from "@/app/_components/notice";

/** A link that names a workspace has changed the chosen one, which must not go unseen. */
export function WorkspaceNotice({ name }: { name: string }) {
  if (!useSearchParams().has("workspace")) return null;
  return (
    <div role="status" className="mb-4">
      <Notice>
        This link belongs to <strong className="font-semibold">{name}</strong>, which is your workspace from here on.
      </Notice>
    </div>
  );
}
