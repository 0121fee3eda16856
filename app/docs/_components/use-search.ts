"use client";

import { useCallback, useRef, useState } from "react";
import type { Search, SearchResult } from "@/lib/docs/search";

type State = "idle" | "loading" | "failed" | "ready";

/** The search of the docs. Its code and its index are loaded when the field is first used; then no server is needed. */
export function useSearch() {
  const [state, setState] = useState<State>("idle");
  const engine = useRef<Search>(undefined);
  const isLoading = useRef(false);
  const load = useCallback(async () => {
    if (engine.current || isLoading.current) return;
    isLoading.current = true;
    setState("loading");
    try {
      const [{ searchOf }, response] = await Promise.all([
        import("@/lib/docs/search"),
        fetch("/docs/search-index.json"),
      ]);
      if (!response.ok) throw new Error(`search-index.json: ${response.status}`);
      engine.current = searchOf(await response.json());
      setState("ready");
    } catch {
      setState("failed");
    } finally {
      isLoading.current = false;
    }
  }, []);
  const search = (text: string): SearchResult[] => (text.trim() === "" ? [] : (engine.current?.(text) ?? []));
  return { state, load, search };
}
