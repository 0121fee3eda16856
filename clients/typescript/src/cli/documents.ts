import { readFileSync } from "node:fs";
import { UsageError } from "./command-line.js";

/** Prints a value as JSON that people can read. */
export const printDocument = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

/** Prints a value as one line of JSON. */
export const printLine = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

/** The bytes of a file; `-` is standard input. */
export const readInput = (file: string): Buffer => {
  try {
    return readFileSync(file === "-" ? 0 : file);
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? error.code : error;
    throw new UsageError(`${file} cannot be read (${reason}).`);
  }
};
