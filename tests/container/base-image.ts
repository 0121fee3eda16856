import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** What `npm ci` and `npm run build` start beside Node. */
const PROGRAMS = ["/bin/sh", "/usr/bin/env"];

/** The rest of the C library: native packages link the first, and host names are looked up with the others. */
const ALSO_LOADED = ["librt.so.1", "libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2"];

/** The shared libraries of a program, and its loader, as ldd lists them. */
const librariesOf = (program: string): string[] =>
  [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(\/\S+) \(0x/g)].map(([, file]) => file ?? "");

/** Makes an image from nothing but this machine's Node, npm, a shell and certificates: no registry of images is needed. */
export const buildBaseImage = (name: string): void => {
  const root = mkdtempSync(path.join(os.tmpdir(), "switchboard-base-"));
  const put = (file: string, to = file) => {
    mkdirSync(path.dirname(path.join(root, to)), { recursive: true });
    cpSync(realpathSync(file), path.join(root, to), { recursive: true });
  };
  const node = realpathSync(process.execPath);
  const npm = path.resolve(path.dirname(node), "../lib/node_modules/npm");
  put(node, "/usr/bin/node");
  put(npm, "/usr/lib/node_modules/npm");
  for (const program of PROGRAMS) put(program);
  const libraries = new Set([node, ...PROGRAMS].flatMap(librariesOf));
  for (const library of libraries) put(library);
  const libc = [...libraries].find((library) => library.includes("/libc.so")) ?? "";
  for (const name of ALSO_LOADED) put(path.join(path.dirname(libc), name));
  put("/etc/ssl/certs/ca-certificates.crt");
  writeFileSync(path.join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  mkdirSync(path.join(root, "tmp"));
  chmodSync(path.join(root, "tmp"), 0o1777);
  writeFileSync(
    path.join(root, "Containerfile"),
    [
      "FROM scratch",
      "COPY . /",
      "ENV PATH=/usr/bin:/bin",
      'RUN ["/usr/bin/node", "-e", "fs.symlinkSync(\'../lib/node_modules/npm/bin/npm-cli.js\', \'/usr/bin/npm\')"]',
    ].join("\n"),
  );
  execFileSync("podman", ["build", "--layers=false", "--tag", name, root], { stdio: ["ignore", "pipe", "pipe"] });
  rmSync(root, { recursive: true });
};
