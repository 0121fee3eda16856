"use client";

import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useTabMode } from "@/app/_components/link";
import { Notice } from "@/app/_components/panels";
import { fold } from "@/lib/core/fold";
import { switchWorkspace } from "../actions";

/** From this many on a list is searched rather than read. */
const SEARCHED_FROM = 8;

export function WorkspaceChoices({ workspaces }: { workspaces: { id: string; name: string }[] }) {
  const mode = useTabMode();
  const [term, setTerm] = useState("");
  const wanted = fold(term);
  const shown = workspaces.filter(({ name }) => fold(name).includes(wanted));
  return (
    <>
      {workspaces.length + 1 >= SEARCHED_FROM ? (
        <input
          type="search"
          aria-label="Search workspaces"
          placeholder="Search workspaces"
          value={term}
          onChange={(event) => setTerm(event.target.value)}
          className="mb-1 min-h-9 w-full rounded-control border border-control bg-page px-2 pointer-coarse:min-h-11"
        />
      ) : null}
      <form action={switchWorkspace} className="grid max-h-64 overflow-y-auto">
        <input type="hidden" name="mode" value={mode ?? ""} />
        {shown.map(({ id, name }) => (
          <button
            key={id}
            type="submit"
            name="workspaceId"
            value={id}
            className="min-h-9 rounded-control px-2 text-start hover:bg-surface pointer-coarse:min-h-11"
          >
            <span className="sr-only">Switch to </span>
            {name}
          </button>
        ))}
      </form>
      <p role="status" className={shown.length === 0 ? "px-2 py-1 text-muted" : "sr-only"}>
        {shown.length === 0 ? "No workspace of this name." : ""}
      </p>
    </>
  );
}

/** A link that names a workspace has changed the chosen one, which must not go unseen. */
export function WorkspaceNotice({ name }: { name: string }) {
  if (!useSearchParams().has("workspace")) return null;
  return (
    <div role="status" className="mb-4">
      <Notice>
        This link belongs to <strong className="font-semibold">{name}</strong>, which is now your current workspace.
      </Notice>
    </div>
  );
}
