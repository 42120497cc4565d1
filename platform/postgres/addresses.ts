import type { Config } from '../config/read-config.ts'

/** An address of the database, with the setting that names it. */
export interface DatabaseAddress {
  url: string
  variable: 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'LOG_DATABASE_URL'
  /**
   * Whether the address leads through a pooler in transaction mode. A transaction then has a server connection of its
   * own, but no session does.
   */
  isPooled: boolean
}

type Addresses = Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>

/** Returns the address for statements and transactions. */
export function pooledAddress({ databaseUrl, databaseDirectUrl }: Addresses): DatabaseAddress {
  const isPooled = databaseDirectUrl !== '' && databaseDirectUrl !== databaseUrl
  return { url: databaseUrl, variable: 'DATABASE_URL', isPooled }
}

/** Returns the address for what needs a session: migrations, commands, advisory locks of sessions, and jobs. */
export function directAddress({ databaseUrl, databaseDirectUrl }: Addresses): DatabaseAddress {
  if (databaseDirectUrl === '') return { url: databaseUrl, variable: 'DATABASE_URL', isPooled: false }
  return { url: databaseDirectUrl, variable: 'DATABASE_DIRECT_URL', isPooled: false }
}

/** Returns the address of the log database; undefined if there is none. It leads through no pooler. */
export function logAddress({ logDatabaseUrl }: Pick<Config, 'logDatabaseUrl'>): DatabaseAddress | undefined {
  if (logDatabaseUrl === 'none') return undefined
  return { url: logDatabaseUrl, variable: 'LOG_DATABASE_URL', isPooled: false }
}
