/** Holds what waits to be written, `most` entries at most: what is oldest goes first, and is counted. */
export class RequestBuffer<T> {
  private held: T[] = [];
  private lost = 0;

  constructor(private readonly most: number) {}

  get size(): number {
    return this.held.length;
  }

  add(entry: T): void {
    this.held.push(entry);
    this.trim();
  }

  /** The oldest entries. */
  take(count: number): T[] {
    return this.held.splice(0, count);
  }

  /** What was taken and could not be written: it is the oldest again. */
  giveBack(entries: T[]): void {
    this.held = [...entries, ...this.held];
    this.trim();
  }

  /** How many were given up since this was asked last. */
  takeLost(): number {
    const { lost } = this;
    this.lost = 0;
    return lost;
  }

  private trim(): void {
    const surplus = this.held.length - this.most;
    if (surplus <= 0) return;
    this.held.splice(0, surplus);
    this.lost += surplus;
  }
}
