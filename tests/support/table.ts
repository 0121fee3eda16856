/** A table for a terminal: the first column to the left, the others to the right. */
export const tableOf = (header: string[], rows: string[][]): string => {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => (row[column] ?? "").length)));
  const line = (row: string[]) =>
    header
      .map((_, column) => {
        const cell = row[column] ?? "";
        return column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
      })
      .join("  ")
      .trimEnd();
  return [line(header), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)].join("\n");
};
