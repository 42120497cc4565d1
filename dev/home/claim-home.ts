import { rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Home } from './open-home.ts'

/**
 * Claims the home for this process, with a socket that nobody else can hold and that a killed process lets go.
 * Throws one line when another start lives in it. Resolves with a function that gives it back.
 */
export async function claimHome(home: Home): Promise<() => void> {
  const path = join(tmpdir(), `rubicon-${home.digest}.sock`)
  if (await somebodyListens(path)) throw new Error(`Rubicon runs already from ${home.folder}: stop it first`)
  rmSync(path, { force: true })
  const server = createServer(socket => socket.end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  server.unref()
  return () => void server.close()
}

function somebodyListens(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
