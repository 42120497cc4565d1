import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Where a checkout keeps what `npm start` makes: databases, secrets, logs, addresses. */
export interface Home {
  folder: string
  logs: string
  postgres: string
  redis: string
  media: string
  /** Addresses, log-in and keys, for scripts. */
  devFile: string
  secretsFile: string
  /** Eight characters that tell this home from others on the machine. */
  digest: string
}

/** The checkout itself. */
export const checkout = resolve(import.meta.dirname, '../..')

/** Opens the home: `RUBICON_HOME`, or `.rubicon` in the checkout. Throws one line when it cannot be made. */
export function openHome(env: NodeJS.ProcessEnv): Home {
  const folder = resolve(checkout, env.RUBICON_HOME || '.rubicon')
  const inside = (name: string) => join(folder, name)
  try {
    mkdirSync(inside('logs'), { recursive: true })
  } catch (error) {
    throw new Error(`${folder} cannot be written: set RUBICON_HOME to a folder that can`, { cause: error })
  }
  return {
    folder,
    logs: inside('logs'),
    postgres: inside('postgres'),
    redis: inside('redis'),
    media: inside('media'),
    devFile: inside('dev.json'),
    secretsFile: inside('secrets.json'),
    digest: createHash('sha256').update(folder).digest('hex').slice(0, 8),
  }
}
