import {
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { isRecord } from '../../platform/checks.ts'
import { dollars, nanosOfDecimal } from '../../platform/money.ts'
import { wordOf } from '../../subgraphs/runtime/enums.ts'

/** Converts a result of the graph to REST: money as numbers, enumerations in lower case. */
export type Present = (value: unknown) => unknown

/**
 * Compiles the presentation of a document's data. Every field already has an alias with its REST name. An object of
 * which only `id` is selected is presented as that ID.
 */
export function compilePresenter(schema: GraphQLSchema, document: DocumentNode): Present {
  const [operation] = document.definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('A route must be one operation')
  const root = schema.getRootType(operation.operation)
  if (!root) throw new Error(`The graph has no ${operation.operation}`)
  return presentObject(schema, root, operation.selectionSet)
}

function presentObject(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  { selections }: SelectionSetNode,
): Present {
  if (!isObjectType(type)) throw new Error(`Routes can only select fields of objects, not of ${type}`)
  const fields = new Map<string, Present>()
  for (const node of selections) {
    if (node.kind !== Kind.FIELD) throw new Error('Routes cannot have fragments')
    const name = node.alias?.value ?? node.name.value
    const field = type.getFields()[node.name.value]
    const present = field && presentField(schema, getNamedType(field.type), node.selectionSet)
    if (present) fields.set(name, present)
  }
  return onEach(value => {
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => {
        const present = fields.get(name)
        return [name, present && item !== null ? onEach(present)(item) : item]
      }),
    )
  })
}

/** Returns the presentation of a field's values, or `undefined` if they need no conversion. */
function presentField(
  schema: GraphQLSchema,
  type: GraphQLNamedType,
  selectionSet: SelectionSetNode | undefined,
): Present | undefined {
  if (selectionSet) {
    const present = presentObject(schema, type, selectionSet)
    return isIdAlone(selectionSet) ? idOf : present
  }
  if (isEnumType(type)) return value => wordOf(String(value))
  return type.name === 'Money' || type.name === 'Rate' ? amountOf : undefined
}

function onEach(present: Present): Present {
  const presentAll: Present = value => {
    if (Array.isArray(value)) return value.map(presentAll)
    return value === null || value === undefined ? value : present(value)
  }
  return presentAll
}

/** Returns whether only `id` is selected. Such an object is presented as its ID. */
export function isIdAlone({ selections }: SelectionSetNode): boolean {
  const [only, ...others] = selections
  return others.length === 0 && only?.kind === Kind.FIELD && only.name.value === 'id'
}

function idOf(value: unknown): unknown {
  return isRecord(value) ? value.id : value
}

function amountOf(value: unknown): unknown {
  const amountNanos = typeof value === 'string' ? nanosOfDecimal(value) : undefined
  return amountNanos === undefined ? Number(value) : dollars(amountNanos)
}
