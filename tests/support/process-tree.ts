import { readdirSync, readFileSync } from "node:fs";

/** A process and the ones that it started, where the system tells: a server's own and that of its pages. */
export const processTree = (pid: number): number[] => {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(processTree)];
  } catch {
    return [pid];
  }
};
