import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { extractTag, lastTag } from '../../test/outages/last-tag.ts'
import { planStatements } from './plan-migration.ts'
import { type Migration, readMigrations, readStatements, schemaFolder } from './read-schema.ts'
import { blockedBy } from './statement-locks.ts'

const tag = lastTag()

// Before the first release there is no tag, and migrations are edited in place.
test.runIf(tag)(`migrations since the last release follow the rules of docs/operations.md`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'released-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  extractTag(tag!, folder, 'schema')
  const released = join(folder, 'schema')
  expect(brokenRules(await readMigrations(released), await readMigrations(schemaFolder))).toEqual([])
  const signatures = new Map(
    (await readStatements(schemaFolder)).map(({ name, text }) => [name, signatureOf(text)]),
  )
  for (const { name, text } of await readStatements(released)) {
    const current = signatures.get(name)
    if (current !== undefined) expect([name, current]).toEqual([name, signatureOf(text)])
  }
})

test('each rule names the migration that breaks it', () => {
  const [first, second] = [
    aMigration('0001-a.sql', 'create table a (id int)'),
    aMigration('0002-b.sql', 'select 1'),
  ]
  const since = { compatibleSince: '0002-b.sql' }
  const fine = aMigration('0003-c.sql', 'alter table a add column b text', since)
  expect(brokenRules([first, second], [first, second, fine])).toEqual([])
  expect(brokenRules([first, second], [{ ...first, sha256: 'other' }])).toEqual([
    '0001-a.sql is released: its text must not change',
    '0002-b.sql is released: it must not be removed',
  ])
  const slow = aMigration('0003-c.sql', 'create index on a (id)')
  expect(brokenRules([first, second], [first, second, slow])).toEqual([
    '0003-c.sql does not work with the last release: it needs "-- compatible since"',
    '0003-c.sql, line 1: SHARE on a blocks writes for long',
  ])
  const early = aMigration('0001-b.sql', 'select 1', since)
  expect(brokenRules([first, second], [first, early, second])).toEqual([
    '0001-b.sql must follow the released 0002-b.sql',
  ])
})

function aMigration(name: string, text: string, more: Partial<Migration> = {}): Migration {
  return { name, text, sha256: text, compatibleSince: undefined, inTransaction: true, ...more }
}

/** Returns what is wrong with migrations that follow a release. */
function brokenRules(released: readonly Migration[], current: readonly Migration[]): string[] {
  const known = new Map(current.map(migration => [migration.name, migration]))
  const names = new Set(released.map(({ name }) => name))
  const newest = released.at(-1)?.name ?? ''
  const later = current.filter(({ name }) => !names.has(name))
  const changed = released.flatMap(({ name, sha256 }) => {
    const file = known.get(name)
    if (!file) return [`${name} is released: it must not be removed`]
    return file.sha256 === sha256 ? [] : [`${name} is released: its text must not change`]
  })
  const misplaced = later.filter(({ name }) => name < newest)
  const incompatible = later.filter(({ compatibleSince: since }) => since === undefined || since > newest)
  const blocking = planStatements(later).flatMap(({ file, line, locks }) =>
    locks
      .filter(({ lock, isLong }) => isLong && /writes$/.test(blockedBy[lock]))
      .map(
        ({ table, lock }) => `${file}, line ${line}: ${lock} on ${table} blocks ${blockedBy[lock]} for long`,
      ),
  )
  return [
    ...changed,
    ...misplaced.map(({ name }) => `${name} must follow the released ${newest}`),
    ...incompatible.map(
      ({ name }) => `${name} does not work with the last release: it needs "-- compatible since"`,
    ),
    ...blocking,
  ]
}

/** Returns the arguments and the result of a function. */
function signatureOf(text: string): string {
  return (/^create function ([\s\S]*?) language /m.exec(text)?.[1] ?? text).replaceAll(/\s+/g, ' ')
}
