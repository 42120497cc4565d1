import { openDedicatedConnection } from './dedicated-connection.ts'

/** Locks of this process, kept by a connection of its own: they end with the process, however it ends. */
export interface SessionLocks {
  /**
   * Takes the lock of that name, and resolves to how it is given back; undefined where somebody has it, in this process
   * or another. Rejects when Postgres does not answer.
   */
  tryLock(name: string): Promise<(() => Promise<void>) | undefined>
  close(): Promise<void>
}

/** Opens them. Where the connection is lost its locks are, too: what is done under them must bear being done twice. */
export function openSessionLocks(options: { url: string; name: string }): SessionLocks {
  const connection = openDedicatedConnection(options)
  const taken = new Set<string>()
  const ask = (name: string) =>
    connection.run(
      sql => sql<{ taken: boolean }[]>`select pg_try_advisory_lock(hashtextextended(${name}, 1)) as taken`,
    )
  return {
    async tryLock(name) {
      if (taken.has(name)) return undefined
      taken.add(name)
      try {
        const [row] = await ask(name)
        if (!row?.taken) {
          taken.delete(name)
          return undefined
        }
      } catch (error) {
        taken.delete(name)
        throw error
      }
      return async () => {
        await connection
          .run(sql => sql`select pg_advisory_unlock(hashtextextended(${name}, 1))`)
          .catch(() => {}) // lost with its connection
        taken.delete(name)
      }
    },
    close: () => connection.end(),
  }
}
