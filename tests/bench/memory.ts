import { ownResidentMebibytes, residentMebibytes } from "../support/process-memory";
import type { Loads } from "./loads";

/** Resident memory in MiB after so many sends. */
export type Memory = { sends: number; api: number; both: number };

/** Of the API's process, and with the one of the pages. */
export const readMemory = (pid: number, loads: Loads): Memory => ({
  sends: loads.sends(),
  api: ownResidentMebibytes(pid),
  both: residentMebibytes(pid) ?? Number.NaN,
});
