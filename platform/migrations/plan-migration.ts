import { basename } from 'node:path'
import { openPostgres } from '../postgres/open-postgres.ts'
import { compareSchema } from './compare-schema.ts'
import { lockTimeoutMs } from './migrate.ts'
import type { Migration, SchemaFile } from './read-schema.ts'
import { plainStatement, splitStatements } from './split-statements.ts'
import { blockedBy, effectOf, type StatementLock } from './statement-locks.ts'

/** A statement of a pending migration with the locks that it takes on existing tables. */
export interface PlannedStatement {
  file: string
  line: number
  /** The statement in one line. */
  text: string
  locks: StatementLock[]
  isUnknown: boolean
}

/**
 * Resolves to the lines that describe what `migrate` would do with the database at `url`. Changes nothing. Throws the
 * errors of `compareSchema`.
 */
export async function planMigration(url: string, schema: string): Promise<string[]> {
  const sql = openPostgres({ url, name: 'migrate', maxConnections: 1 })
  try {
    const { pending, changed, newer } = await compareSchema(sql, schema)
    const [engine] = await sql<{ is_known: boolean }[]>`
      select to_regnamespace('graphile_worker') is not null as is_known`
    const locks = planStatements(pending)
    return [
      ...newer.map(name => `the database has ${name} of a newer version, with which this version works`),
      ...(engine?.is_known ? [] : ['graphile_worker: the tables of the job engine are created']),
      ...pending.flatMap(migration => describe(migration, locks)),
      ...describeFunctions(changed),
    ]
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Returns the statements of migrations that lock tables which exist before the migrations, or may do so. */
export function planStatements(migrations: readonly Migration[]): PlannedStatement[] {
  const created = new Set<string>()
  return migrations.flatMap(({ name: file, text }) =>
    splitStatements(text).flatMap(statement => {
      const { locks, creates, isUnknown = false } = effectOf(statement.text)
      const onExisting = locks.filter(({ table }) => !created.has(table))
      if (creates) created.add(creates)
      if (onExisting.length === 0 && !isUnknown) return []
      return [
        { file, line: statement.line, text: plainStatement(statement.text), locks: onExisting, isUnknown },
      ]
    }),
  )
}

function describeFunctions(changed: readonly SchemaFile[]): string[] {
  if (changed.length === 0) return []
  const names = changed.map(({ name }) => basename(name, '.sql')).join(', ')
  return [`statements: functions are created or replaced, which locks no table: ${names}`]
}

function describe({ name, inTransaction }: Migration, statements: readonly PlannedStatement[]): string[] {
  const own = statements.filter(({ file }) => file === name)
  if (own.length === 0) return [`${name}: locks no existing table`]
  const how = inTransaction
    ? `one transaction, which waits at most ${lockTimeoutMs} ms for each lock, and is then repeated`
    : 'no transaction, statement by statement'
  return [`${name}: ${how}`, ...own.flatMap(describeStatement)]
}

/** Maximum length of a statement in a plan, in characters. */
const shownCharacters = 100

function describeStatement({ line, text, locks, isUnknown }: PlannedStatement): string[] {
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)} …` : text
  const unknown = isUnknown
    ? ["    an unknown kind of statement: look its locks up in PostgreSQL's manual"]
    : []
  return [`  line ${line}: ${shown}`, ...unknown, ...locks.map(describeLock)]
}

function describeLock({ table, lock, isLong, remedy }: StatementLock): string {
  const blocked = blockedBy[lock]
  const time = blocked === 'nothing' ? '' : isLong ? ' until the whole table is processed' : ' for a moment'
  return `    ${lock} on ${table}: blocks ${blocked}${time}${remedy ? `. ${remedy}` : ''}`
}
