import { MapperKind, mapSchema } from '@graphql-tools/utils'
import { defaultFieldResolver, type GraphQLNamedType, isObjectType } from 'graphql'
import { readApi } from '../../gateway/supergraph/read-api.ts'
import { isRecord } from '../../platform/checks.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import { buildSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { serveSubgraph } from '../../subgraphs/runtime/start-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'

/**
 * The whole graph as one subgraph without a gateway: the cost of the same resolvers without federation. A field that is
 * missing from its object is read through its subgraph's reference resolver, as a gateway would.
 */
const parts = await Promise.all(
  Object.values(subgraphs).map(async load => {
    const { subgraph } = await load()
    return { ...(await buildSubgraph(subgraph)), references: subgraph.references ?? {} }
  }),
)

/** Returns the subgraph of a field: for an entity, a subgraph that resolves it, not only references it. */
const partOf = (type: string, field: string) => {
  const isEntity = parts.some(({ references }) => type in references)
  return parts.find(({ schema, references }) => {
    const own = schema.getType(type)
    return isObjectType(own) && field in own.getFields() && (!isEntity || type in references)
  })
}

const ownType = <Type extends GraphQLNamedType>({ name }: Type) =>
  parts.flatMap(({ schema }) => schema.getType(name) ?? [])[0] as Type

const wholeSchema = mapSchema(await readApi(), {
  [MapperKind.SCALAR_TYPE]: ownType,
  [MapperKind.ENUM_TYPE]: ownType,
  [MapperKind.OBJECT_FIELD]: (config, field, type) => {
    const part = partOf(type, field)
    const own = part?.schema.getType(type)
    if (!part || !isObjectType(own)) return config
    const { resolve = defaultFieldResolver, subscribe } = own.getFields()[field] ?? {}
    const find = part.references[type]
    return {
      ...config,
      ...(subscribe && { subscribe }),
      async resolve(source, args, context, info) {
        const id = isRecord(source) && !(field in source) ? source.id : undefined
        const whole = find && typeof id === 'string' ? await find(context, id) : source
        return resolve(whole, args, context, info)
      },
    }
  },
})

await serveSubgraph(readConfig(process.env), { name: 'one', sdl: '', schema: wholeSchema })
