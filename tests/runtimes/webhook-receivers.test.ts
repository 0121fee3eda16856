import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { examplesOf, newFolder, removeFolders, run } from "../support/client-package";
import { PYTHON_SOURCE } from "../support/python";
import {
  expectReceiver,
  receiverDatabase,
  receiverProject,
  shownReceiver,
  sqliteTables,
  startShownReceiver,
} from "../support/webhook-receivers";

// The frameworks of Python are Debian's packages: `apt-get install python3-flask python3-fastapi python3-uvicorn mypy`. `npm test` runs the
// part that they share, because a machine may have none of them.
vi.setConfig({ testTimeout: 120_000 });

afterAll(removeFolders);

test("the receiver of the docs stores each delivery once, with its effect, in Next.js", async () => {
  const { url: DATABASE_URL, ...tables } = await receiverDatabase();
  // Turbopack follows no links to packages.
  const next = [path.resolve("node_modules/next/dist/bin/next"), "dev", "--webpack", "-H", "127.0.0.1"];
  const env = { DATABASE_URL, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: undefined };
  const words = (port: number) => [process.execPath, ...next, "-p", `${port}`];
  await expectReceiver(await startShownReceiver(words, await receiverProject(), env), tables);
});

/** The first Python that has the modules; another one than the first of the path may. */
const pythonWith = (...modules: string[]): string => {
  for (const program of ["python3", "/usr/bin/python3"]) {
    try {
      execFileSync(program, ["-c", `import ${modules.join(", ")}`], { stdio: "ignore" });
      return program;
    } catch {
      // The next one.
    }
  }
  throw new Error(
    `No python3 has ${modules.join(" and ")}. On Debian: apt-get install python3-flask python3-fastapi python3-uvicorn mypy`,
  );
};

const FRAMEWORKS = [
  ["FastAPI", ["fastapi", "uvicorn"], (port: number) => ["-m", "uvicorn", "server:app", "--port", `${port}`]],
  ["Flask", ["flask"], (port: number) => ["-m", "flask", "--app", "server", "run", "--port", `${port}`]],
] as const;

const ENV = { PYTHONPATH: PYTHON_SOURCE, PYTHONDONTWRITEBYTECODE: "1" };

/** A folder with the receiver and a framework's part. */
const project = (heading: string): string => {
  const folder = newFolder();
  writeFileSync(path.join(folder, "receive.py"), shownReceiver("A receiver", "python"));
  writeFileSync(path.join(folder, "server.py"), shownReceiver(heading, "python"));
  return folder;
};

describe.each(FRAMEWORKS)("the receiver of the docs in %s", (heading, modules, words) => {
  test("stores each delivery once, with its effect", async () => {
    const folder = project(heading);
    const program = pythonWith(...modules);
    const url = await startShownReceiver((port) => [program, ...words(port)], folder, ENV);
    await expectReceiver(url, sqliteTables(folder));
  });

  test("passes a strict type checker", async () => {
    const folder = project(heading);
    await run(folder, ["mypy", "--strict", "server.py", "receive.py"], { MYPYPATH: PYTHON_SOURCE });
  });
});

test("the client in Python and the programs of its README pass a strict type checker", async () => {
  const folder = newFolder();
  await run(folder, ["mypy", "--strict", path.join(PYTHON_SOURCE, "switchboard_client")]);
  const programs = examplesOf(readFileSync("clients/python/README.md", "utf8"), "python").filter(({ code }) =>
    /^import /m.test(code),
  );
  expect(programs.length).toBe(5);
  for (const { code } of programs) {
    writeFileSync(path.join(folder, "example.py"), code);
    await run(folder, ["mypy", "--strict", "example.py"], { MYPYPATH: PYTHON_SOURCE });
  }
});
