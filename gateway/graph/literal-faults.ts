import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  Kind,
  TypeInfo,
  type ValidationContext,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { isText } from '../../platform/checks.ts'
import { printPath, type ValuePath } from '../../schema/value-path.ts'
import { fault, messageFor, notText } from '../../subgraphs/runtime/check-variables.ts'
import { Count, DateTime, Day, Money } from '../../subgraphs/runtime/scalars.ts'

/** The scalars with validation rules, by name. A supergraph contains only the names of its scalars. */
const checkedScalars = new Map([Count, DateTime, Day, Money].map(scalar => [scalar.name, scalar]))

/**
 * A validation rule for literal values in a document. A value of a checked scalar must be valid, and a string must be
 * text that Postgres can store (see `isText`).
 */
export function literalRule(context: ValidationContext): ASTVisitor {
  const check = (node: ValueNode) => {
    const scalar = checkedScalars.get(getNamedType(context.getInputType())?.name ?? '')
    try {
      scalar?.parseLiteral(node)
    } catch (cause) {
      const originalError = cause instanceof Error ? cause : undefined
      context.reportError(new GraphQLError('The value is invalid.', { nodes: node, originalError }))
    }
  }
  return {
    IntValue: check,
    FloatValue: check,
    BooleanValue: check,
    EnumValue: check,
    ObjectValue: check,
    ListValue(node) {
      if (!isListType(getNullableType(context.getParentInputType()))) check(node)
    },
    StringValue(node) {
      if (isText(node.value)) check(node)
      else context.reportError(new GraphQLError('The text cannot be stored.', { nodes: node }))
    },
  }
}

/** The path to a value within its argument, and its expected type. */
interface TypedPath {
  path: ValuePath
  type: GraphQLInputType | undefined
}

/**
 * Converts validation errors about literal values to the format of errors about variables: `validation_failed` with the
 * parameter. Other errors are returned unchanged.
 */
export function presentLiteralFaults(
  errors: readonly unknown[],
  { schema, document }: { schema: GraphQLSchema; document: DocumentNode },
): unknown[] {
  const nodes = errors.flatMap(error => (error instanceof GraphQLError ? (error.nodes?.[0] ?? []) : []))
  const literals = findLiterals(new Set(nodes), { schema, document })
  return errors.map(error => {
    const node = error instanceof GraphQLError ? error.nodes?.[0] : undefined
    const literal = node && literals.get(node)
    return error instanceof GraphQLError && literal ? faultAt(node, { error, ...literal }) : error
  })
}

/** graphql-js reports a missing argument at its field, and a missing field at the input object around it. */
const missingArgument = /^Field "\w+" argument "(\w+)" of type /
const missingField = /^Field "\w+\.(\w+)" of required type /

function faultAt(node: ASTNode, { error, path, type }: TypedPath & { error: GraphQLError }): GraphQLError {
  const missing = (missingArgument.exec(error.message) ?? missingField.exec(error.message))?.[1]
  if (missing !== undefined) return fault([...path, missing], `${missing} is required.`, error)
  if (node.kind === Kind.FIELD) return error
  if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD)
    return fault(path, `${node.name.value} is not known.`, error)
  if (node.kind === Kind.STRING && !isText(node.value)) return notText(path)
  const excludesFields = node.kind === Kind.OBJECT && isInputObjectType(getNamedType(type))
  return fault(path, excludesFields ? error.message : messageFor(type, error, printPath(path)), error)
}

/** Finds the paths and types of the nodes that are fields, arguments, or values in arguments. */
function findLiterals(
  wanted: ReadonlySet<ASTNode>,
  { schema, document }: { schema: GraphQLSchema; document: DocumentNode },
): ReadonlyMap<ASTNode, TypedPath> {
  const found = new Map<ASTNode, TypedPath>()
  if (wanted.size === 0) return found
  const types = new TypeInfo(schema)
  const visitor: ASTVisitor = {
    enter(node, _key, parent, path, ancestors) {
      if (!wanted.has(node) || !literalKinds.has(node.kind)) return
      const around = [...ancestors, parent]
      const outer = around.flatMap((ancestor, depth) => partOf(ancestor, around[depth - 1], path[depth]))
      found.set(node, { path: [...outer, ...partOf(node)], type: types.getInputType() ?? undefined })
    },
  }
  visit(document, visitWithTypeInfo(types, visitor))
  return found
}

const literalKinds: ReadonlySet<string> = new Set([
  Kind.FIELD,
  Kind.ARGUMENT,
  Kind.OBJECT_FIELD,
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
])

/** Returns the part of the path that a node adds: the name of an argument or field, or a list index. */
function partOf(node: Ancestor, around?: Ancestor, key?: string | number): ValuePath {
  if (!node) return []
  if (!('kind' in node)) return typeof key === 'number' && around && isList(around) ? [key] : []
  if (node.kind === Kind.VARIABLE_DEFINITION) return [node.variable.name.value]
  if (node.kind === Kind.OBJECT_FIELD) return [node.name.value]
  return node.kind === Kind.ARGUMENT && node.name.value !== 'input' ? [node.name.value] : []
}

type Ancestor = ASTNode | readonly ASTNode[] | undefined

function isList(node: Ancestor): boolean {
  return node !== undefined && 'kind' in node && node.kind === Kind.LIST
}
