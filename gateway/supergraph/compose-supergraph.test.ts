import { readdir, readFile } from 'node:fs/promises'
import { composeServices } from '@apollo/composition'
import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { composeSupergraph, graphFiles } from './compose-supergraph.ts'
import { graphFolder, supergraphFile } from './load-graph.ts'

test('schema/graph is up to date: run `npm run graph` if this fails', async () => {
  const names = (await readdir(graphFolder)).filter(name => name.endsWith('.graphql'))
  const kept = await Promise.all(
    names.map(async name => [name, await readFile(new URL(name, graphFolder), 'utf8')] as const),
  )
  expect(new Map(kept)).toEqual(await graphFiles())
})

test("the subgraphs also compose with Apollo's composition", async () => {
  const files = [...(await graphFiles())].filter(([name]) => name !== supergraphFile)
  const { errors } = composeServices(
    files.map(([name, sdl]) => ({ name, url: `http://${name}`, typeDefs: parse(sdl) })),
  )
  expect(errors?.map(({ message }) => message) ?? []).toEqual([])
})

test('subgraphs that do not compose are refused with the reason', () => {
  const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])'
  const one = {
    name: 'one',
    sdl: `${link} type Query { it: Thing } type Thing @key(fields: "id") { id: ID! size: Int }`,
  }
  const two = { name: 'two', sdl: `${link} type Thing @key(fields: "id") { id: ID! size: String }` }
  expect(() => composeSupergraph([one, two])).toThrow(/size/)
})
