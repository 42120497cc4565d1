import { Pool, type PoolClient } from 'pg'

type OnClient = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void

type Release = (error?: Error | boolean) => void

/**
 * A pool whose connections may be released twice by the callers that took them with a callback. The engine does so if
 * Postgres ends its listening connection while the engine ends. Nothing would handle the error of the second release, so
 * it would end the process.
 */
export class RunnerPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(callback: OnClient): void
  override connect(callback?: OnClient): Promise<PoolClient> | undefined {
    if (!callback) return super.connect()
    super.connect((error, client, release) => callback(error, client, releaseOnce(release)))
  }
}

function releaseOnce(release: Release): Release {
  let isReleased = false
  return error => {
    if (isReleased) return
    isReleased = true
    release(error)
  }
}
