import { plainStatement } from './split-statements.ts'

/** A lock of a table that a statement of a migration takes (PostgreSQL's manual, Explicit Locking). */
export interface StatementLock {
  table: string
  lock: 'ACCESS EXCLUSIVE' | 'SHARE ROW EXCLUSIVE' | 'SHARE' | 'SHARE UPDATE EXCLUSIVE' | 'ROW EXCLUSIVE'
  /** Whether the lock is held while the table is read or rewritten, which takes long if the table is large. */
  isLong: boolean
  /** How to do the same without blocking for long, if there is a way. */
  remedy?: string
}

/** What other transactions cannot do while a lock is held. */
export const blockedBy: Record<StatementLock['lock'], string> = {
  'ACCESS EXCLUSIVE': 'reads and writes',
  'SHARE ROW EXCLUSIVE': 'writes',
  SHARE: 'writes',
  'SHARE UPDATE EXCLUSIVE': 'nothing',
  'ROW EXCLUSIVE': 'nothing but changes of the same rows',
}

/** The locks of a statement, and the table that it creates. */
export interface StatementEffect {
  locks: StatementLock[]
  /** The table that it creates. */
  creates?: string
  /** Whether the kind of statement is unknown here, so that its locks are too. */
  isUnknown?: true
}

const name = String.raw`(?:only )?("[^"]+"|[\w.]+)`
const concurrently = 'Use concurrently, in a migration with "-- transaction: none"'
const validateLater = 'Add it as "not valid", and validate it in a later migration'

type Rule = [pattern: RegExp, effect: (table: string, statement: string) => StatementEffect]

const rules: Rule[] = [
  [new RegExp(`^create table (?:if not exists )?${name}`), (table, text) => creating(table, text)],
  [
    new RegExp(`^create (?:unique )?index concurrently .*? on ${name}`),
    table => locking(table, 'SHARE UPDATE EXCLUSIVE', true),
  ],
  [
    new RegExp(`^create (?:unique )?index .*?\\bon ${name}`),
    table => locking(table, 'SHARE', true, concurrently),
  ],
  [
    new RegExp(`^(?:drop index|reindex \\w+) concurrently (?:if exists )?${name}`),
    index => locking(index, 'SHARE UPDATE EXCLUSIVE', true),
  ],
  [
    new RegExp(`^drop index (?:if exists )?${name}`),
    index => locking(index, 'ACCESS EXCLUSIVE', false, concurrently),
  ],
  [new RegExp(`^alter table (?:if exists )?${name} (.*)$`), (table, text) => altering(table, text)],
  [
    new RegExp(`^create (?:or replace )?(?:constraint )?trigger .*? on ${name}`),
    table => locking(table, 'SHARE ROW EXCLUSIVE', false),
  ],
  [new RegExp(`^drop trigger .*? on ${name}`), table => locking(table, 'ACCESS EXCLUSIVE', false)],
  [
    new RegExp(`^(?:drop table|truncate)(?: table)? (?:if exists )?${name}`),
    table => locking(table, 'ACCESS EXCLUSIVE', false),
  ],
  [
    new RegExp(`^(?:cluster|vacuum full|reindex \\w+|refresh materialized view) ${name}`),
    table => locking(table, 'ACCESS EXCLUSIVE', true),
  ],
  [
    new RegExp(`^(?:insert into|update|delete from) ${name}`),
    table => locking(table, 'ROW EXCLUSIVE', true, 'Change many rows in batches, in a chore'),
  ],
  [
    /^(create (or replace )?(extension|function|type|schema|view|sequence|collation)|drop (function|type|view)|comment on|do |select |set |alter (type|function|sequence))\b/,
    () => ({ locks: [] }),
  ],
]

/** Returns the locks that a statement takes on tables that exist before it. */
export function effectOf(statement: string): StatementEffect {
  const text = plainStatement(statement)
  for (const [pattern, effect] of rules) {
    const match = pattern.exec(text)
    if (match) return effect(match[1] ?? '', text)
  }
  return { locks: [], isUnknown: true }
}

function locking(
  table: string,
  lock: StatementLock['lock'],
  isLong: boolean,
  remedy?: string,
): StatementEffect {
  return { locks: [{ table, lock, isLong, ...(remedy && { remedy }) }] }
}

function creating(table: string, text: string): StatementEffect {
  const parent = /\bpartition of ("[^"]+"|[\w.]+)/.exec(text)?.[1]
  const parents = parent ? [{ table: parent, lock: 'ACCESS EXCLUSIVE' as const, isLong: false }] : []
  return { creates: table, locks: [...parents, ...referenced(text, false)] }
}

/** The locks of tables that foreign keys refer to. */
function referenced(text: string, isLong: boolean): StatementLock[] {
  const tables = new Set(Array.from(text.matchAll(/\breferences ("[^"]+"|[\w.]+)/g), ([, table]) => table!))
  return [...tables].map(table => ({ table, lock: 'SHARE ROW EXCLUSIVE', isLong }))
}

function altering(table: string, text: string): StatementEffect {
  const actions = text.replace(new RegExp(`^alter table (?:if exists )?${name} `), '')
  return { locks: topLevelParts(actions).flatMap(action => locksOfAction(table, action)) }
}

type ActionRule = [pattern: RegExp, lock: StatementLock['lock'], isLong: boolean, remedy?: string]

/** The actions of `alter table`; other actions take a short ACCESS EXCLUSIVE lock. */
const actionRules: ActionRule[] = [
  [
    /^add (?:column )?.*(\bdefault (?!(?:[\w']|-\d)[^()]*$|now\(\)|current_timestamp)|\bgenerated |\b(?:big|small)?serial\b)/,
    'ACCESS EXCLUSIVE',
    true,
    'Add the column without a default, and fill it in batches',
  ],
  [
    /^alter (?:column )?\S+ (?:set data )?type\b/,
    'ACCESS EXCLUSIVE',
    true,
    'Add another column, and fill it in batches',
  ],
  [
    /^alter (?:column )?\S+ set not null/,
    'ACCESS EXCLUSIVE',
    true,
    'Validate a check constraint first; PostgreSQL then does not read the table',
  ],
  [/^alter (?:column )?\S+ set statistics|^set \(|^validate constraint/, 'SHARE UPDATE EXCLUSIVE', true],
  [/^detach partition .* concurrently/, 'SHARE UPDATE EXCLUSIVE', true],
  [/^attach partition/, 'SHARE UPDATE EXCLUSIVE', true],
  [/^add (?:constraint \S+ )?foreign key .*not valid$/, 'SHARE ROW EXCLUSIVE', false],
  [/^add (?:constraint \S+ )?foreign key/, 'SHARE ROW EXCLUSIVE', true, validateLater],
  [
    /^add (?:constraint \S+ )?(?:check .*not valid$|(?:unique|primary key) using index)/,
    'ACCESS EXCLUSIVE',
    false,
  ],
  [/^add (?:constraint \S+ )?check/, 'ACCESS EXCLUSIVE', true, validateLater],
  [
    /^add (?:constraint \S+ )?(?:unique|primary key|exclude)/,
    'ACCESS EXCLUSIVE',
    true,
    'Create a unique index concurrently, and add the constraint "using index"',
  ],
]

function locksOfAction(table: string, action: string): StatementLock[] {
  const [, lock = 'ACCESS EXCLUSIVE', isLong = false, remedy] =
    actionRules.find(([pattern]) => pattern.test(action)) ?? []
  return [{ table, lock, isLong, ...(remedy && { remedy }) }, ...referenced(action, isLong)]
}

/** Splits a list at its commas, except those within brackets and strings. */
function topLevelParts(list: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const [piece] of list.matchAll(/'(?:[^']|'')*'|[\s\S]/g)) {
    if (piece === '(') depth++
    if (piece === ')') depth--
    if (piece === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += piece
  }
  return [...parts, part.trim()]
}
