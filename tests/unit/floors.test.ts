import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

/**
 * The layers of `lib`, from the top to the ground: a folder imports folders of lower layers, and in its own those to its right.
 * Who comes in is at the top, what a message is lies in the middle, and what all need is the ground.
 */
const LAYERS = [
  ["operations", "auth", "dashboard", "docs", "alerts"],
  ["outgoing", "api", "incoming", "http"],
  ["costs", "messages", "templates"],
  ["api-keys", "contacts", "phone-numbers"],
  ["media", "sandbox", "workspaces", "limits", "sessions", "whatsapp", "mail"],
  ["core"],
];

/** The folders within `messages`, in the same order; the files beside them are below all. */
const WITHIN_MESSAGES = ["send", "list", "usage", "statuses", undefined];

const placeOf = (folder: string) => LAYERS.flat().indexOf(folder);
const folderOf = (file: string) => file.split("/")[1] ?? "";
const files = readdirSync("lib", { recursive: true, encoding: "utf8" })
  .map((file) => `lib/${file.replaceAll("\\", "/")}`)
  // A page of the docs shows imports of its readers.
  .filter((file) => statSync(file).isFile() && !file.endsWith(".md"));

/** The files of `lib` that a file names in an import, or loads later. */
const imported = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g)].flatMap(([, name = ""]) => {
    if (name.startsWith("@/")) return name.startsWith("@/lib/") ? [name.slice(2)] : [];
    return name.startsWith(".") ? [path.posix.join(path.posix.dirname(file), name)] : [];
  });

test("every file of lib lies in a folder, and every folder in one layer", () => {
  const folders = [...new Set(files.map((file) => (file.split("/").length > 2 ? folderOf(file) : file)))];
  expect(folders.sort()).toEqual(LAYERS.flat().sort());
});

test("a folder imports folders of lower layers, or those to its right", () => {
  const upwards = files.flatMap((file) =>
    imported(file)
      .filter((target) => target.startsWith("lib/") && folderOf(target) !== folderOf(file))
      .filter((target) => placeOf(folderOf(target)) <= placeOf(folderOf(file)))
      .map((target) => `${file} imports ${target}`),
  );
  expect(upwards).toEqual([]);
});

test("within messages, a folder imports those after it, and each the message itself", () => {
  const partOf = (file: string) => (file.split("/").length > 3 ? file.split("/")[2] : undefined);
  const own = files.filter((file) => folderOf(file) === "messages");
  const upwards = own.flatMap((file) =>
    imported(file)
      .filter((target) => folderOf(target) === "messages" && partOf(target) !== partOf(file))
      .filter((target) => WITHIN_MESSAGES.indexOf(partOf(target)) <= WITHIN_MESSAGES.indexOf(partOf(file)))
      .map((target) => `${file} imports ${target}`),
  );
  expect([...new Set(own.map(partOf))].sort()).toEqual(WITHIN_MESSAGES.toSorted());
  expect(upwards).toEqual([]);
});

test("lib imports neither app nor tests nor scripts, and core no database either", () => {
  const outside = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/from\s+["']@\/(app|tests|scripts|db)\//g)]
      .filter(([, place]) => place !== "db" || folderOf(file) === "core")
      .map(([line]) => `${file}: ${line}`),
  );
  expect(outside).toEqual([]);
});
