import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const RUNTIME = fileURLToPath(new URL("runc-without-limits", import.meta.url));

export const podman = async (...args: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)("podman", ["--runtime", RUNTIME, ...args], { maxBuffer: 2 ** 26 });
  return stdout.trim();
};

/** What a gateway's container may do here and in docs/deployment.md; on the host's network, where the test's servers are. */
export const CONFINED = [
  ...["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges"],
  ...["--network", "host", "--log-driver", "k8s-file"],
];

const npmSetting = (name: string) => execFileSync("npm", ["config", "get", name], { encoding: "utf8" }).trim();

/** Builds the Containerfile from `base`. npm asks this machine's registry with its settings, cache and certificates. */
export const buildImage = async (name: string, base: string): Promise<void> => {
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  const mounts = [
    [npmSetting("cache"), "/root/.npm"],
    [npmSetting("userconfig"), "/root/.npmrc:ro"],
    ...(certificates ? [[certificates, "/certificates.crt:ro"]] : []),
  ].filter(([from = ""]) => existsSync(from));
  await podman(
    ...[
      "build",
      "--layers=false",
      "--format",
      "docker",
      "--network",
      "host",
      "--build-arg",
      `BASE=${base}`,
      "--tag",
      name,
    ],
    ...mounts.map(([from, to]) => `--volume=${from}:${to}`),
    ...(certificates ? ["--env", "NODE_EXTRA_CA_CERTS=/certificates.crt"] : []),
    ".",
  );
};

/** The bytes that an image's own layers add to those of its base. */
export const bytesAbove = async (name: string, base: string): Promise<number> => {
  const sizeOf = async (image: string) => Number(await podman("image", "inspect", "--format", "{{.Size}}", image));
  return (await sizeOf(name)) - (await sizeOf(base));
};
