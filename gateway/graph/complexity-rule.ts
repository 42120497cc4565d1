import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

/** Assumed number of items of a list without pages, unless `listSizes` has its limit. */
const plainListSize = 20

/** Assumed number of items of a page whose size is set by a variable: the maximum page size. */
const largestPage = 100

/** The arguments that set the size of a page. The first given argument counts. */
const sizeArguments = ['last', 'first']

/**
 * Refuses documents that cost too much. Each field of the result costs 1, times the number of items of the lists around
 * it. A field that several fragments select counts once, because it is resolved once. The lists of a page (`edges`,
 * `nodes`) have as many items as its `first` or `last` sets.
 */
export function complexityRule({
  onCost,
  ...bounds
}: ComplexityBounds & {
  /** Called with the cost of each operation of a document. */
  onCost?: (operation: OperationDefinitionNode, cost: number) => void
}): (context: ValidationContext) => ASTVisitor {
  const { maxCost } = bounds
  return context => ({
    OperationDefinition(operation) {
      const type = context.getSchema().getRootType(operation.operation)?.name
      const cost = costOf(context, [{ set: operation.selectionSet, type }], { ...bounds, depth: 1 })
      onCost?.(operation, cost)
      if (cost <= maxCost) return
      const message = `The document costs more than ${maxCost}. Select fewer fields or shorter lists.`
      context.reportError(new GraphQLError(message, { nodes: operation }))
    },
  })
}

interface ComplexityBounds {
  maxCost: number
  /**
   * Depth below which fields are not counted. Another rule refuses documents that are deeper or have fragment cycles.
   */
  maxDepth: number
  /** Maximum number of items of lists without pages, by type and field: `Account.apiKeys`. */
  listSizes: ReadonlyMap<string, number>
}

/** The bounds of a document, and where in it a field is. */
interface FieldBounds extends ComplexityBounds {
  depth: number
  /** The number of items of the lists directly inside a page. */
  pageSize?: number | undefined
}

/** The selected fields of a type. */
interface Selection {
  set: SelectionSetNode
  type: string | undefined
}

/** An occurrence of a field. */
interface Occurrence {
  node: FieldNode
  type: string | undefined
  /** `undefined` if the type does not have the field. */
  field: GraphQLField<unknown, unknown> | undefined
}

function costOf(context: ValidationContext, selections: readonly Selection[], bounds: FieldBounds): number {
  let cost = 0
  for (const occurrences of mergeFields(context, selections).values()) {
    if (cost > bounds.maxCost) return cost
    cost += costOfField(context, occurrences, bounds)
  }
  return cost
}

/** Returns the fields of a result by their names in it, merged like in GraphQL. Each fragment is visited once. */
function mergeFields(
  context: ValidationContext,
  selections: readonly Selection[],
): ReadonlyMap<string, Occurrence[]> {
  const entered = new Set<string>()
  const occurrences = selections.flatMap(selection => fieldsIn(context, selection, entered))
  return Map.groupBy(occurrences, ({ node }) => (node.alias ?? node.name).value)
}

/** Returns the fields of a selection and of its fragments. Skips the named fragments in `entered` and adds others. */
function fieldsIn(
  context: ValidationContext,
  { set, type }: Selection,
  entered: Set<string>,
): readonly Occurrence[] {
  return set.selections.flatMap(node => {
    if (node.kind === Kind.FIELD) return [{ node, type, field: fieldOf(context, node, type) }]
    if (node.kind === Kind.INLINE_FRAGMENT) {
      const inlineType = node.typeCondition?.name.value ?? type
      return fieldsIn(context, { set: node.selectionSet, type: inlineType }, entered)
    }
    const fragment = entered.has(node.name.value) ? undefined : context.getFragment(node.name.value)
    entered.add(node.name.value)
    if (!fragment) return []
    const fragmentType = fragment.typeCondition.name.value
    return fieldsIn(context, { set: fragment.selectionSet, type: fragmentType }, entered)
  })
}

function costOfField(
  context: ValidationContext,
  occurrences: readonly Occurrence[],
  { depth, pageSize, ...bounds }: FieldBounds,
): number {
  const inside = occurrences.flatMap(({ node, field }) =>
    node.selectionSet && field ? [{ set: node.selectionSet, type: getNamedType(field.type).name }] : [],
  )
  if (inside.length === 0 || depth >= bounds.maxDepth) return 1
  const items = occurrences.map(occurrence => pageSize ?? sizeOfList(occurrence, bounds))
  const isList = occurrences.some(({ field }) => field && isListType(getNullableType(field.type)))
  const pageSizes = occurrences.flatMap(occurrence => sizeOfPage(occurrence) ?? [])
  const innerBounds = {
    ...bounds,
    depth: depth + 1,
    pageSize: pageSizes.length === 0 ? undefined : Math.max(...pageSizes),
  }
  return 1 + (isList ? Math.max(...items) : 1) * costOf(context, inside, innerBounds)
}

function fieldOf(
  context: ValidationContext,
  node: FieldNode,
  name: string | undefined,
): GraphQLField<unknown, unknown> | undefined {
  const type = name === undefined ? undefined : context.getSchema().getType(name)
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
}

function sizeOfList({ node, type }: Occurrence, { listSizes }: ComplexityBounds): number {
  return listSizes.get(`${type}.${node.name.value}`) ?? plainListSize
}

function sizeOfPage({ node, field }: Occurrence): number | undefined {
  const declared = field?.args.filter(({ name }) => sizeArguments.includes(name)) ?? []
  if (declared.length === 0) return undefined
  const given = sizeArguments.flatMap(name => node.arguments?.find(it => it.name.value === name) ?? [])
  const size = given.map(({ value }) => value).find(({ kind }) => kind !== Kind.NULL)
  if (size) return size.kind === Kind.INT ? Math.max(1, Number(size.value)) : largestPage
  const byDefault = declared.find(({ defaultValue }) => typeof defaultValue === 'number')?.defaultValue
  return typeof byDefault === 'number' ? byDefault : largestPage
}
