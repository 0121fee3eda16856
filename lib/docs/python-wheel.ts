import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";

const FOLDER = "clients/python";
const MODULES = `${FOLDER}/src/switchboard_client`;
const VERSION = "0.1.0";

/** pip reads name and version from the address of a wheel. */
export const WHEEL_FILE = `switchboard_client-${VERSION}-py3-none-any.whl`;

/** The Python client as `clients/python/wheel_backend.py` builds it; next.config.mjs takes its sources into every build. */
export const pythonWheel = (): Uint8Array<ArrayBuffer> => {
  const info = `switchboard_client-${VERSION}.dist-info`;
  const modules = readdirSync(MODULES)
    .filter((name) => /\.(py|typed)$/.test(name))
    .toSorted()
    .map((name): Entry => [`switchboard_client/${name}`, readFileSync(`${MODULES}/${name}`)]);
  const files: Entry[] = [
    ...modules,
    [`${info}/METADATA`, strToU8(metadata())],
    [
      `${info}/WHEEL`,
      strToU8("Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ],
    [`${info}/licenses/LICENSE`, readFileSync(`${FOLDER}/LICENSE`)],
  ];
  const record = [
    ...files.map(([name, content]) => `${name},${digest(content)},${content.length}`),
    `${info}/RECORD,,`,
  ];
  return zipSync(Object.fromEntries([...files, [`${info}/RECORD`, strToU8(`${record.join("\n")}\n`)] as const]), {
    mtime: "2026-01-01T00:00:00",
  });
};

type Entry = [name: string, content: Uint8Array];

const metadata = (): string => {
  const project = readFileSync(`${FOLDER}/pyproject.toml`, "utf8");
  const setting = (name: string): string => new RegExp(`^${name} = "(.*)"$`, "m").exec(project)?.[1] ?? "";
  const head = [
    "Metadata-Version: 2.4",
    `Name: ${setting("name")}`,
    `Version: ${setting("version")}`,
    `Summary: ${setting("description")}`,
    `License-Expression: ${setting("license")}`,
    "License-File: LICENSE",
    `Requires-Python: ${setting("requires-python")}`,
    "Description-Content-Type: text/markdown",
  ];
  return `${head.join("\n")}\n\n${readFileSync(`${FOLDER}/README.md`, "utf8")}`;
};

const digest = (content: Uint8Array): string => `sha256=${createHash("sha256").update(content).digest("base64url")}`;
