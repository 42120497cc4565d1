import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Home } from './open-home.ts'

/** What must not be the same in two checkouts, nor change between two starts of one. */
export interface Secrets {
  MASTER_KEYS: string
  KEY_PEPPER: string
  SUBGRAPH_SECRET: string
  demoPassword: string
}

/** The secrets of this home, drawn at its first start and kept. */
export function keepSecrets(home: Home): Secrets {
  const kept: Partial<Secrets> = existsSync(home.secretsFile)
    ? JSON.parse(readFileSync(home.secretsFile, 'utf8'))
    : {}
  const secrets: Secrets = {
    MASTER_KEYS: `dev=${randomBytes(32).toString('base64')}`,
    KEY_PEPPER: randomBytes(32).toString('base64url'),
    SUBGRAPH_SECRET: randomBytes(32).toString('base64url'),
    demoPassword: randomBytes(12).toString('base64url'),
    ...kept,
  }
  writeFileSync(home.secretsFile, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  return secrets
}
