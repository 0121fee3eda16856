import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { FIXTURE_TEMPLATES } from "@/lib/sandbox/fixture-templates";
import { testServers } from "./environment";
import { fromOwnAddress } from "./own-address";
import { runToEnd } from "./run-to-end";
import { provisionWorkspace, request, type TestWorkspace } from "./workspace";

export type PastedCode = { caption: string; fence: string; code: string };

export type Reader = {
  workspace: TestWorkspace;
  /** The code blocks of a page, as this reader copies them. */
  blocksOf: (page: string) => Promise<PastedCode[]>;
  /** Runs a block in the reader's folder, with their key in the environment, and returns what it prints. */
  paste: (block: PastedCode, more?: Record<string, string>) => Promise<string>;
  /** Rejects where one of the programs beside the client does not pass a strict compiler. */
  typeCheck: (...programs: string[]) => Promise<void>;
};

const TSX = path.resolve("node_modules/tsx/dist/cli.mjs");
const COMPILER = path.resolve("node_modules/typescript/bin/tsc");

/** Someone with a test key and an empty folder, who runs what the docs show. */
export const readerOfDocs = async (): Promise<Reader> => {
  const workspace = await provisionWorkspace({ mode: "test", templates: [...FIXTURE_TEMPLATES] });
  const { url, close } = await fromOwnAddress(workspace);
  const folder = mkdtempSync(path.join(os.tmpdir(), "switchboard-docs-"));
  onTestFinished(async () => {
    await close();
    rmSync(folder, { recursive: true });
  });
  const site = path.join(folder, "site");
  // pip installs into a folder of the test, and asks no registry.
  const pip = { PIP_TARGET: site, PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", PYTHONPATH: site };
  const { apiKey, apiSecret } = workspace;

  const paste = async ({ caption, fence, code }: PastedCode, more: Record<string, string> = {}): Promise<string> => {
    const env = { CHAT_API_KEY: apiKey, CHAT_API_SECRET: apiSecret, ...pip, ...more };
    const { exitCode, stdout, stderr } = await runToEnd(wordsOf(fence, code, folder), { cwd: folder, env });
    if (exitCode === 0) return stdout;
    throw new Error(`"${caption}" (${fence}) ended with ${exitCode}:\n${stdout}${stderr}`);
  };

  const blocksOf = async (page: string): Promise<PastedCode[]> => {
    const { baseUrl } = testServers();
    const { text } = await request("GET", `${baseUrl}/docs/${page}.md`);
    return codeOf(text.replaceAll(baseUrl, url));
  };
  const typeCheck = async (...programs: string[]): Promise<void> => {
    const files = programs.map((_, i) => `checked-${i}.mts`);
    for (const [i, file] of files.entries()) writeFileSync(path.join(folder, file), programs[i] ?? "");
    const options = [
      "--noEmit",
      "--strict",
      "--noUncheckedIndexedAccess",
      "--exactOptionalPropertyTypes",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--allowImportingTsExtensions",
    ];
    const types = ["--types", "node", "--typeRoots", path.resolve("node_modules/@types")];
    const words = [process.execPath, COMPILER, ...options, ...types, ...files];
    const { exitCode, stdout } = await runToEnd(words, { cwd: folder });
    if (exitCode !== 0) throw new Error(`The compiler refuses it:\n${stdout}\n${programs.join("\n")}`);
  };
  return { workspace, blocksOf, paste, typeCheck };
};

/** As a reader would: curl in a shell, TypeScript in a file beside the client, the others as programs. */
const wordsOf = (fence: string, code: string, folder: string): string[] => {
  switch (fence) {
    case "sh":
      return [
        "sh",
        "-c",
        code.startsWith("curl") && !code.startsWith("curl -O") ? `${code} -sS -w "\\n%{http_code}"` : code,
      ];
    case "js":
      return [process.execPath, "--input-type=module", "-e", code];
    case "ts":
      writeFileSync(path.join(folder, "program.mts"), code);
      return [process.execPath, TSX, "program.mts"];
    case "python":
      return ["python3", "-c", code];
    default:
      throw new Error(`nothing runs ${fence}`);
  }
};

/** The code blocks of a Markdown text under their captions; those that follow each other have one. */
export const codeOf = (markdown: string): PastedCode[] => {
  let caption = "";
  return [...markdown.matchAll(/(?:^\*\*(.+)\*\*\n\n)?^```(\w+)\n([\s\S]*?)\n```$/gm)].map(
    ([, own, fence = "", code = ""]) => {
      caption = own ?? caption;
      return { caption, fence, code };
    },
  );
};
