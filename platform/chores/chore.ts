/** Work that repeats, done by one worker at a time. */
export interface Chore<Services> {
  /** In the imperative: `forget-tasks`. */
  name: string
  /** Time from the end of one run to the start of the next, in milliseconds. */
  everyMs: number
  /**
   * Does the work. Two workers may run it at once after one of them froze, so it must tolerate that. A run that throws
   * is one line in the log; the next run catches up.
   */
  run(services: Services): Promise<void>
}
