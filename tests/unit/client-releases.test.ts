import { readdirSync, readFileSync, statSync } from "node:fs";
import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { NPM_FILE, WHEEL_FILE } from "@/lib/docs/docs-pages";
import { clientVersion, digestOf, PACKAGES, readReleases, sourcesDigest } from "../../scripts/clients/packages";

const RELEASED = readReleases();

describe("the packages of the clients", () => {
  test("have another version once their sources differ: run `npm run clients:release`", () => {
    expect(RELEASED[clientVersion()]?.sources).toBe(sourcesDigest());
  });

  test.each(Object.entries(RELEASED))("of version %s are served as they were released", (version, { files }) => {
    const names = [`switchboard-client-${version}.tgz`, `switchboard_client-${version}-py3-none-any.whl`];
    expect(Object.keys(files)).toEqual(names);
    for (const name of names) expect(digestOf(readFileSync(`${PACKAGES}/${name}`)), name).toBe(files[name]);
  });

  test("are all of a released version, and the docs name those of the present one", () => {
    const released = Object.values(RELEASED).flatMap(({ files }) => Object.keys(files));
    expect(readdirSync(PACKAGES).toSorted()).toEqual(released.toSorted());
    expect(Object.keys(RELEASED[clientVersion()]?.files ?? {})).toEqual([NPM_FILE, WHEEL_FILE]);
  });

  test("hold the sources: the wheel has each module of the Python client as it is", () => {
    const folder = "clients/python/src/switchboard_client";
    const wheel = unzipSync(new Uint8Array(readFileSync(`${PACKAGES}/${WHEEL_FILE}`)));
    const modules = readdirSync(folder).filter((name) => /\.(py|typed)$/.test(name));
    for (const name of modules) {
      expect(
        Buffer.from(wheel[`switchboard_client/${name}`] ?? []).equals(readFileSync(`${folder}/${name}`)),
        name,
      ).toBe(true);
    }
    const [info] = Object.keys(wheel).filter((name) => name.endsWith("/METADATA"));
    expect(Buffer.from(wheel[info ?? ""] ?? []).toString()).toContain(`\nVersion: ${clientVersion()}\n`);
  });
});

const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|tsx?|mjs|py|json)$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
    .map((name) => `${folder}/${name}`)
    .filter((file) => statSync(file).isFile());

test("no text names a command by which npx would run a stranger's package", () => {
  const texts = [...["lib", "app", "clients", "docs", "scripts"].flatMap(textsIn), "README.md", "CONTRIBUTING.md"];
  const found = texts.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b(?:npx|npm exec|npm x|pnpm dlx|bunx|yarn dlx) [^\n]*switchboard[^\n]*/g)]
      .map(([text]) => text)
      .filter((text) => !text.startsWith("npx --no -- switchboard-client"))
      .map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
