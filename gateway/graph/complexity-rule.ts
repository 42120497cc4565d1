import {
  type ASTVisitor,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql'

/** The number of items that a plain list is assumed to have, unless `listSizes` has its bound. */
const plainListSize = 20

/** The number of items that a page is assumed to have where a variable sets its size: the largest allowed. */
const largestPage = 100

/** The arguments that set the size of a page; the first of them that is given counts. */
const sizeArguments = ['last', 'first']

/**
 * Refuses documents that cost too much: every field costs 1, times the items of the lists around it. What a
 * page costs is known from its size, so the lists inside a page (edges, nodes, items) do not count again.
 */
export function complexityRule({
  maxCost,
  listSizes,
  onCost,
}: ComplexityBounds & {
  /** Is told the cost of each operation of a document. */
  onCost?: (operation: OperationDefinitionNode, cost: number) => void
}): (context: ValidationContext) => ASTVisitor {
  return context => ({
    OperationDefinition(operation) {
      const root = context.getSchema().getRootType(operation.operation)
      const cost = costOf(context, operation.selectionSet, {
        type: root?.name,
        paged: false,
        maxCost,
        listSizes,
        within: [],
      })
      onCost?.(operation, cost)
      if (cost <= maxCost) return
      const message = `The document costs more than ${maxCost}: ask for fewer fields, or for shorter lists.`
      context.reportError(new GraphQLError(message, { nodes: operation }))
    },
  })
}

interface ComplexityBounds {
  maxCost: number
  /** Items that plain lists may have, by type and field: `Account.apiKeys`. */
  listSizes: ReadonlyMap<string, number>
}

interface Place extends ComplexityBounds {
  /** Name of the type whose fields are selected. */
  type: string | undefined
  /** Directly inside a page. */
  paged: boolean
  /**
   * The fragments around it: a fragment that contains itself is refused by another rule, but must not loop
   * here.
   */
  within: readonly string[]
}

function costOf(context: ValidationContext, selections: SelectionSetNode, place: Place): number {
  let cost = 0
  for (const selection of selections.selections) {
    if (cost > place.maxCost) return cost
    if (selection.kind === Kind.FIELD) cost += costOfField(context, selection, place)
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      const type = selection.typeCondition?.name.value ?? place.type
      cost += costOf(context, selection.selectionSet, { ...place, type })
    } else cost += costOfSpread(context, selection.name.value, place)
  }
  return cost
}

/** A spread costs 1 itself, so that fragments which spread each other exponentially reach the limit soon. */
function costOfSpread(context: ValidationContext, name: string, place: Place): number {
  const fragment = context.getFragment(name)
  if (!fragment || place.within.includes(name)) return 1
  const inside = { ...place, type: fragment.typeCondition.name.value, within: [...place.within, name] }
  return 1 + costOf(context, fragment.selectionSet, inside)
}

function costOfField(context: ValidationContext, node: FieldNode, place: Place): number {
  const field = fieldOf(context, node, place)
  if (!field || !node.selectionSet) return 1
  const type = getNamedType(field.type)
  const pageSize = sizeOfPage(node, field)
  const plain = isListType(getNullableType(field.type)) && !place.paged ? sizeOfList(node, place) : 1
  const inside = {
    ...place,
    type: isCompositeType(type) ? type.name : undefined,
    paged: pageSize !== undefined,
  }
  return 1 + (pageSize ?? plain) * costOf(context, node.selectionSet, inside)
}

function fieldOf(
  context: ValidationContext,
  node: FieldNode,
  place: Place,
): GraphQLField<unknown, unknown> | undefined {
  const type = place.type === undefined ? undefined : context.getSchema().getType(place.type)
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[node.name.value] : undefined
}

function sizeOfList(node: FieldNode, { type, listSizes }: Place): number {
  return listSizes.get(`${type}.${node.name.value}`) ?? plainListSize
}

function sizeOfPage(node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
  const declared = field.args.filter(({ name }) => sizeArguments.includes(name))
  if (declared.length === 0) return undefined
  const given = sizeArguments.flatMap(name => node.arguments?.find(it => it.name.value === name) ?? [])
  const size = given.map(({ value }) => value).find(({ kind }) => kind !== Kind.NULL)
  if (size) return size.kind === Kind.INT ? Math.max(1, Number(size.value)) : largestPage
  const byDefault = declared.find(({ defaultValue }) => typeof defaultValue === 'number')?.defaultValue
  return typeof byDefault === 'number' ? byDefault : largestPage
}
