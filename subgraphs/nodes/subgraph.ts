import { type ClassType, Directive, ObjectType } from 'type-graphql'
import type { Subgraph } from '../runtime/subgraph.ts'
import { Node, NodeResolver } from './node.ts'
import { nodeTypes } from './node-types.ts'

/** Queries for objects of any type by ID (docs/graph.md, IDs). The types belong to the other subgraphs. */
export const subgraph: Subgraph = {
  name: 'nodes',
  resolvers: [NodeResolver],
  types: nodeTypes.map(({ typeName }) => nodeReference(typeName)),
}

function nodeReference(typeName: string): ClassType {
  @ObjectType(typeName, { implements: Node })
  @Directive('@key(fields: "id", resolvable: false)')
  class Reference extends Node {}
  return Reference
}
