import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => `${folder}/${file.replaceAll("\\", "/")}`)
    // A route's folder may be named like a file, as what it answers with is.
    .filter((file) => /\.tsx?$/.test(file) && statSync(file).isFile());

const files = ["app", "lib", "db"].flatMap(sourcesIn);
const withClient = [...files, ...sourcesIn("clients/typescript/src")];

const source = (file: string) => readFileSync(file, "utf8");

describe("the house", () => {
  test("the environment is read in one file", () => {
    // FAULT_* is no setting: a constant of the fault build, and what is compiled away with it.
    const reads = /process\.env(?!\.FAULT_)/;
    expect(files.filter((file) => file !== "lib/core/env.ts" && reads.test(source(file)))).toEqual([]);
  });

  test("no file is named utils, helpers, types, common or index, but the schema's barrel", () => {
    const vague = /(^|\/)(utils?|helpers?|types|common|misc|index)\.tsx?$/;
    expect(withClient.filter((file) => vague.test(file) && file !== "db/schema/index.ts")).toEqual([]);
  });

  test("no statement finds rows by ctid, which is unique in one partition only", () => {
    const code = (file: string) => source(file).replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(files.filter((file) => /\bctid\b/.test(code(file)))).toEqual([]);
  });

  test("no file of the product holds more than 300 lines", () => {
    const isWritten = (file: string) => !source(file).startsWith("// Generated from");
    expect(withClient.filter((file) => isWritten(file) && source(file).split("\n").length > 301)).toEqual([]);
  });

  test("route files are wiring of about 25 lines", () => {
    const routes = files.filter((file) => /^app\/.*\/route\.ts$/.test(file));
    expect(routes.filter((file) => source(file).split("\n").length > 32)).toEqual([]);
  });

  test("every route answers every method in our shape", () => {
    const routes = files.filter((file) => /^app\/.*\/route\.ts$/.test(file));
    const others = routes.filter((file) => !/= (webRoute|apiRoute|memberRoute|publicFile)\(/.test(source(file)));
    expect(others).toEqual([]);
  });

  test("a function with a body is a declaration, which tools find; an arrow is an expression", () => {
    const arrow = /^(const \w+ = (async )?(<[^>]*>)?\(.*)?\)(: .+)? => \{$/m;
    expect(files.filter((file) => arrow.test(source(file)))).toEqual([]);
  });

  test("every server action goes through the wrapper that refuses other sites", () => {
    const holders = files.filter((file) => /^\s*["']use server["']/m.test(source(file)));
    expect(holders.filter((file) => !source(file).startsWith('"use server";\n'))).toEqual([]);
    const exported = (file: string) => source(file).match(/^export .*/gm) ?? [];
    expect(
      holders
        .flatMap(exported)
        .filter((line) => !/^export const \w+ = (dashboard|member|user|visitor)Action\(/.test(line)),
    ).toEqual([]);
    expect(holders.length).toBeGreaterThan(0);
  });

  test("the words that belong to the public API stay at its edge", () => {
    const outside = files.filter(
      (file) => !/^(app|lib\/(api|docs|dashboard|outgoing\/events))\/|^lib\/core\/app-error\.ts$/.test(file),
    );
    const code = (file: string) => source(file).replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(outside.filter((file) => /chatMessageId|CHAT_GRAPH_ERROR/.test(code(file)))).toEqual([]);
  });

  test("every variable that the server reads has a line in .env.example and a row in docs/deployment.md", () => {
    const example = source(".env.example");
    const guide = source("docs/deployment.md");
    const names = [...source("lib/core/env.ts").matchAll(/^\s+([A-Z][A-Z_]+): /gm)].map(([, name]) => name ?? "");
    expect(names.length).toBeGreaterThan(20);
    const given = names.filter((name) => name !== "VERCEL");
    expect(given.filter((name) => !new RegExp(`^${name}=`, "m").test(example))).toEqual([]);
    expect(given.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });

  test("what a text says to run or to read is there", () => {
    const texts = ["README.md", "CONTRIBUTING.md"].concat(
      readdirSync("docs", { recursive: true, encoding: "utf8" }).map((file) => `docs/${file.replaceAll("\\", "/")}`),
    );
    const { scripts } = JSON.parse(source("package.json"));
    // The words that `switchboard`, `npm test` and `npm run bench` know.
    const keysOf = (file: string) =>
      [...source(file).matchAll(/^ +"?([a-z-]+)"?: (\[|\(\) =>)/gm)].map(([, key]) => key);
    const words: Record<string, unknown[]> = {
      "npm run switchboard": keysOf("scripts/switchboard.ts"),
      "npm test": keysOf("scripts/suites.mjs"),
      "npm run bench": keysOf("tests/bench/main.ts"),
    };
    const missing = texts
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => {
        const text = source(file);
        const commands = [...text.matchAll(/npm run (?:--silent )?([a-z][a-z:-]*)/g)].map(([, name]) => name ?? "");
        const worded = [...text.matchAll(/(npm (?:run )?(?:--silent )?(?:switchboard|test|bench)) -- ([a-z][a-z-]*)/g)];
        const links = [...text.matchAll(/\]\((?!\w+:|#)([^)#]+)/g)];
        const paths = [...text.matchAll(/`((?:app|db|docs|lib|scripts|tests)\/[\w./[\]-]+\.\w+)`/g)];
        // An archived decision names the files and commands of its time.
        const isOfItsTime = file.startsWith("docs/decisions/archive/");
        return [
          ...(isOfItsTime ? [] : commands).filter((name) => !(name in scripts)),
          ...(isOfItsTime ? [] : worded)
            .filter(([, program = "", word]) => !words[program.replace(" --silent", "")]?.includes(word))
            .map(([found]) => found),
          ...(isOfItsTime ? [] : paths).map(([, found]) => found ?? "").filter((found) => !existsSync(found)),
          ...links.map(([, to]) => path.join(path.dirname(file), to ?? "")).filter((to) => !existsSync(to)),
        ].map((name) => `${file}: ${name}`);
      });
    expect(missing).toEqual([]);
  });

  test("each behavior of docs/dashboard.md names a test that is there", () => {
    const proofs = source("docs/dashboard.md")
      .split("\n")
      .filter((line) => line.startsWith("| ") && !line.endsWith("| Test |"))
      .map((row) => row.split(" | ").at(-1) ?? "");
    const testFile = (name: string) =>
      name.startsWith("tests/") ? `${name}.test.ts` : `tests/dashboard/${name}.spec.ts`;
    const missing = proofs.flatMap((proof) => {
      let code = "";
      if (!proof.includes("`")) return [proof];
      return [...proof.matchAll(/`([^`]+)`|“([^”]+)”/g)].flatMap(([quoted, file, title]) => {
        if (file) code = existsSync(testFile(file)) ? source(testFile(file)) : "";
        const isThere = title ? title.split("…").every((part) => code.includes(part.trim())) : code;
        return isThere ? [] : [quoted];
      });
    });
    expect(proofs.length).toBeGreaterThan(50);
    expect(missing).toEqual([]);
  });
});
