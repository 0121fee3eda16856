import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WHEEL_FILE } from "@/lib/docs/docs-pages";
import { PACKAGES } from "../../scripts/clients/packages";
import {
  examplesOf,
  newFolder,
  partnerEnvironment,
  programsOf,
  receive,
  removeFolders,
  run,
} from "../support/client-package";
import { testServers } from "../support/environment";
import { PYTHON, pythonTitle, runPython } from "../support/python";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

afterAll(removeFolders);

/** As the deployment serves it. */
const file = path.resolve(PACKAGES, WHEEL_FILE);

describe.skipIf(!PYTHON)(pythonTitle("the package for PyPI"), () => {
  let site: string;
  let cwd: string;

  beforeAll(async () => {
    [site, cwd] = [newFolder(), newFolder()];
    const hasPip = (await runPython(["-m", "pip", "--version"])).exitCode === 0;
    const options = ["--no-index", "--no-deps", "--disable-pip-version-check", "--quiet"];
    // A wheel is a zip file whose files lie as they are installed.
    if (hasPip) await run(cwd, ["python3", "-m", "pip", "install", ...options, "--target", site, file]);
    else await run(cwd, ["python3", "-m", "zipfile", "-e", file, site]);
  });

  test("has the modules, the licence and the mark of typed code", () => {
    const files = readdirSync(site, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["switchboard_client/py.typed", "switchboard_client/client.py"]));
    const [info = ""] = files.filter((file) => /^[^/]+\.dist-info$/.test(file));
    expect(existsSync(path.join(site, info, "licenses", "LICENSE"))).toBe(true);
    const metadata = readFileSync(path.join(site, info, "METADATA"), "utf8");
    expect(metadata).toMatch(/^Name: switchboard-client$/m);
    expect(metadata).toMatch(/^Requires-Python: >=3\.9$/m);
    expect(metadata).not.toMatch(/^Requires-Dist/m);
  });

  test("is what this deployment serves for pip, file by file", async () => {
    const { baseUrl } = testServers();
    const answer = await fetch(`${baseUrl}/docs/${WHEEL_FILE}`);
    expect(unzipSync(new Uint8Array(await answer.arrayBuffer()))).toEqual(
      unzipSync(new Uint8Array(readFileSync(file))),
    );
  });

  test("every example of the README runs as it is pasted", async () => {
    const examples = examplesOf(readFileSync("clients/python/README.md", "utf8"), "python");
    expect(examples.map(({ title }) => title)).toEqual([
      ...["Send a message", "Send a message", "Retries", "Errors", "Logs", "Transports", "Webhooks"],
    ]);
    const env = { ...(await partnerEnvironment()), PYTHONPATH: site };
    const printed: string[] = [];
    for (const { title, code } of examples.filter(({ title }) => title !== "Webhooks")) {
      const program = /Retries|Errors/.test(title) ? `${AROUND_PYTHON}${code}` : code;
      writeFileSync(path.join(cwd, "example.py"), program);
      printed.push(await run(cwd, ["python3", "-W", "error", "example.py"], env));
    }
    const logged = /^GET http\S+ 1 200 None\nreq_\w+ \d+\n$/;
    expect(printed).toEqual([
      "READ\n",
      "SENT\n",
      "",
      "",
      expect.stringMatching(logged),
      expect.stringMatching(/^\d+\n$/),
    ]);
  });

  test("runs the README's receiver, which takes a valid webhook, and refuses others without ending", async () => {
    const [, receiver = ""] = programsOf("clients/python/README.md", "python");
    writeFileSync(path.join(cwd, "receive.py"), receiver);
    const received = await receive(cwd, ["python3", "receive.py"], { PYTHONPATH: site });
    expect(received).toEqual({ statuses: [401, 204, 401], printed: "message.delivered 3" });
  });
});

const AROUND_PYTHON = `import os
from typing import Optional
from switchboard_client import SendRequest, Switchboard
client = Switchboard(os.environ["CHAT_API_KEY"], os.environ["CHAT_API_SECRET"], origin=os.environ["CHAT_API_URL"])
request: SendRequest = {"type": "text", "phone": "447700900003", "content": "Hi"}
def remember(message_id: Optional[str]) -> None: print(message_id)
def send_later(request: SendRequest, key: Optional[str]) -> None: print(key)
`;
