import { rmSync } from 'node:fs'
import { removePostgresData } from '../services/start-postgres.ts'
import type { Home } from './open-home.ts'

/** Empties the home: database, media, addresses. The secrets stay: an outside database may need them. */
export async function resetHome(home: Home): Promise<void> {
  await removePostgresData({ folder: home.postgres })
  for (const path of [home.media, home.devFile]) rmSync(path, { recursive: true, force: true })
}
