/** How one kind of job is done. `run` may be called again for the same payload: what it does it does once. */
export interface Job<Services, Payload = unknown> {
  /** In the imperative: `send-callback`. */
  name: string
  /** Does the work. If it throws, the job is retried with growing delays, up to its `maxAttempts`. */
  run(services: Services, payload: Payload, run: JobRun): Promise<void>
}

/** One try of a job. */
export interface JobRun {
  /** 1 for the first. */
  attempt: number
  /** Aborted when the worker must end soon: what runs long gives its work back by throwing. */
  signal: AbortSignal
}
