import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planStatements } from './plan-migration.ts'
import { type Migration, readMigrations, schemaFolder } from './read-schema.ts'
import { plainStatement, splitStatements } from './split-statements.ts'
import { effectOf } from './statement-locks.ts'

const parts = [
  "select 'a;b'",
  "insert into t values ('it''s; fine', E'\\';')",
  'select ";" from "a;b"',
  'do $$ begin perform 1; end $$',
  'create function f() returns int language sql as $body$ select 1; $$ $body$',
  '/* one; */ select 2',
  'select 3 -- three; or more\n',
]

test('statements are separated where they end, with the line of their first word', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts)),
      fc.constantFrom(';', ';\n', '; -- end;\n'),
      (list, end) => {
        const split = splitStatements(list.map(part => `${part}${end}`).join(''))
        expect(split.map(({ text }) => plainStatement(text))).toEqual(list.map(part => plainStatement(part)))
      },
    ),
  )
  expect(splitStatements('-- first\n\nselect 1;\n\nselect\n 2;\n-- end').map(({ line }) => line)).toEqual([
    3, 5,
  ])
})

test.each<[statement: string, ...locks: string[]]>([
  ['create table t (id uuid references accounts (id))', 'SHARE ROW EXCLUSIVE accounts'],
  ['create index on t (a)', 'SHARE t long'],
  ['create unique index t_a on t using btree (a) where b', 'SHARE t long'],
  ['create index concurrently if not exists t_a on only t (a)', 'SHARE UPDATE EXCLUSIVE t long'],
  ['drop index t_a', 'ACCESS EXCLUSIVE t_a'],
  ['alter table t add column a text', 'ACCESS EXCLUSIVE t'],
  [
    "alter table t add a int not null default 5, add b text default 'x,y'",
    'ACCESS EXCLUSIVE t',
    'ACCESS EXCLUSIVE t',
  ],
  ['alter table t add a timestamptz default now()', 'ACCESS EXCLUSIVE t'],
  ['alter table t add a timestamptz default clock_timestamp()', 'ACCESS EXCLUSIVE t long'],
  ['alter table t add a bigint generated always as identity', 'ACCESS EXCLUSIVE t long'],
  ['alter table t alter a type bigint', 'ACCESS EXCLUSIVE t long'],
  ['alter table t alter column a set not null', 'ACCESS EXCLUSIVE t long'],
  ['alter table t drop column a, rename b to c', 'ACCESS EXCLUSIVE t', 'ACCESS EXCLUSIVE t'],
  ['alter table t add constraint c check (a > 0)', 'ACCESS EXCLUSIVE t long'],
  ['alter table t add constraint c check (a > 0) not valid', 'ACCESS EXCLUSIVE t'],
  ['alter table t validate constraint c', 'SHARE UPDATE EXCLUSIVE t long'],
  [
    'alter table t add constraint c foreign key (a) references u (id) not valid',
    'SHARE ROW EXCLUSIVE t',
    'SHARE ROW EXCLUSIVE u',
  ],
  [
    'alter table t add foreign key (a) references u (id)',
    'SHARE ROW EXCLUSIVE t long',
    'SHARE ROW EXCLUSIVE u long',
  ],
  ['alter table t add primary key using index t_a', 'ACCESS EXCLUSIVE t'],
  ['alter table t add unique (a)', 'ACCESS EXCLUSIVE t long'],
  ['create trigger g after update on t for each row execute function f()', 'SHARE ROW EXCLUSIVE t'],
  ['-- all\nUPDATE t SET a = 1', 'ROW EXCLUSIVE t long'],
  ['truncate t', 'ACCESS EXCLUSIVE t'],
  ['create extension if not exists pg_trgm'],
])('%s', (statement, ...locks) => {
  const effect = effectOf(statement)
  expect(effect.isUnknown).toBeUndefined()
  expect(effect.locks.map(({ table, lock, isLong }) => `${lock} ${table}${isLong ? ' long' : ''}`)).toEqual(
    locks,
  )
})

test('an unknown statement is reported as unknown', () => {
  expect(effectOf('security label on table t is null').isUnknown).toBe(true)
})

test('tables that the same migrations create count as unlocked', async () => {
  expect(planStatements(await readMigrations(schemaFolder))).toEqual([])
  const text = 'create table t (id int);\n\ncreate index on t (id);\nalter table accounts add column a int;'
  const later: Migration = {
    name: 'later.sql',
    text,
    sha256: '',
    compatibleSince: undefined,
    inTransaction: true,
  }
  expect(planStatements([later])).toMatchObject([{ line: 4, locks: [{ table: 'accounts', isLong: false }] }])
})
