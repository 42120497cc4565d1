import { readFile } from 'node:fs/promises'
import { isEnumType } from 'graphql'
import { expect, test } from 'vitest'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { graphFolder, supergraphFile } from '../supergraph/load-graph.ts'
import { withoutTypes } from './subgraph-names.ts'

test('the supergraph without types has every subgraph, and none of their types', async () => {
  const schema = withoutTypes(await readFile(new URL(supergraphFile, graphFolder), 'utf8'))
  const graphs = schema.getType('join__Graph')
  const names = isEnumType(graphs) ? graphs.getValues().map(({ name }) => name.toLowerCase()) : []
  expect(names.toSorted()).toEqual(Object.keys(subgraphs).toSorted())
  expect(schema.getType('Account')).toBeUndefined()
  expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual(['ready'])
})
