/** Repeated work that one worker at a time runs. */
export interface Chore<Services> {
  /** The name, in the imperative: `forget-tasks`. */
  name: string
  /** Time from the end of one run to the start of the next, in milliseconds. */
  everyMs: number
  /**
   * Does the work. It must tolerate that two workers run it at the same time, which happens after one of them froze. If
   * it throws, the error is logged, and the next run catches up.
   */
  run(services: Services): Promise<void>
}
