import { processWide } from "@/lib/core/process-wide";

/** A file that depends on the deployment alone, made at the first request in a process: strangers ask for it at will. */
export function madeOnce<T>(name: string, make: () => T): T {
  return processWide(`file ${name}`, make);
}
