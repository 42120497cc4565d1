import { renameSync, writeFileSync } from 'node:fs'
import type { Home } from './open-home.ts'

/** What scripts and tests need to use a running system: `.rubicon/dev.json`. */
export interface DevFile {
  base_url: string
  graphql_url: string
  media_url: string
  email: string
  password: string
  jwt: string
  api_key: string
  provisioning_key: string
  simulator_url: string
  database_url: string
  redis_url: string
}

/** Writes the file whole or not at all, readable by its owner alone. */
export function writeDevFile(home: Home, content: DevFile): void {
  const unfinished = `${home.devFile}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, home.devFile)
}
