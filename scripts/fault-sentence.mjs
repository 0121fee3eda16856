const UNWRITABLE = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

/**
 * Returns one sentence about an error, with a fix if known. For scripts that run before packages are installed.
 * @param {unknown} error
 * @returns {string}
 */
export function faultSentence(error) {
  if (!(error instanceof Error)) return String(error);
  const { code = "", path } = /** @type {NodeJS.ErrnoException} */ (error);
  if (!UNWRITABLE.has(code)) return error.message || code || error.name;
  const fix = code === "ENOSPC" ? "Free some space on its disk" : "Make it writable for this user";
  return `${path ?? "A file"} cannot be written (${code}). ${fix}, or use a copy of the project in another folder.`;
}
