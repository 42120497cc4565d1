import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { breakingChanges, readPublished } from './published-graph.ts'
import { readApi } from './read-api.ts'

test('schema/graph/published/breaking-changes.txt lists exactly the breaking changes', async () => {
  const { schema, allowed } = await readPublished()
  expect(breakingChanges(schema, await readApi())).toEqual(allowed.sort())
})

test('removals and new requirements are breaking changes; additions are not', () => {
  const published = buildSchema('type Query { me(id: ID): Int you: Int } enum E { A B }')
  const now = (sdl: string) => breakingChanges(published, buildSchema(sdl))
  expect(
    now('type Query { me(id: ID, more: Int): Int you: Int they: Int } enum E { A B C } type T { a: Int }'),
  ).toEqual([])
  expect(now('type Query { me(id: ID!, more: Int!): String } enum E { A }')).toEqual([
    'ARG_CHANGED_KIND: Query.me arg id has changed type from ID to ID!.',
    'FIELD_CHANGED_KIND: Query.me changed type from Int to String.',
    'FIELD_REMOVED: Query.you was removed.',
    'REQUIRED_ARG_ADDED: A required arg more on Query.me was added.',
    'VALUE_REMOVED_FROM_ENUM: B was removed from enum type E.',
  ])
})
