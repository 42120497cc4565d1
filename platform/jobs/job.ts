/** One kind of job. `run` can be called again with the same payload, so it must be idempotent. */
export interface Job<Services, Payload = unknown> {
  /** The name, in the imperative: `send-callback`. */
  name: string
  /** Does the work. If it throws, the job is retried with growing delays, up to its `maxAttempts`. */
  run(services: Services, payload: Payload, run: JobRun): Promise<void>
}

/** One attempt of a job. */
export interface JobRun {
  /** The number of the attempt, starting at 1. */
  attempt: number
  /** Aborted when the worker must end soon. Long work should then throw, so that the job is returned to the queue. */
  signal: AbortSignal
}
