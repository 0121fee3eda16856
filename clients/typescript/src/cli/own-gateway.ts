import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Only a gateway's own file: a mirror must not be sent the secret. */
const PACKAGE_FILE = /^(https?:\/\/[^/]+)\/docs\/switchboard-client-[\w.-]+\.tgz$/;

/** The gateway that this package was installed from, as the project around `folder` names it; undefined where none does. */
export const gatewayInstalledFrom = (folder: string): string | undefined => {
  const manifest = path.join(folder, "package.json");
  const [, address] = PACKAGE_FILE.exec(existsSync(manifest) ? installedFrom(manifest) : "") ?? [];
  if (address && URL.canParse(address)) return new URL(address).origin;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : gatewayInstalledFrom(parent);
};

const installedFrom = (manifest: string): string => {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(manifest, "utf8"));
    return `${{ ...devDependencies, ...dependencies }["switchboard-client"] ?? ""}`;
  } catch {
    return "";
  }
};
