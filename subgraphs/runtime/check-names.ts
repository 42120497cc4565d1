import {
  type ASTVisitor,
  type DocumentNode,
  GraphQLError,
  type NameNode,
  type ValidationContext,
  visit,
} from 'graphql'
import { Problem } from '../../schema/errors.ts'
import { presented } from './present-error.ts'

/**
 * Checks a document for names that are dangerous as properties of a JavaScript object: names on `Object.prototype`,
 * such as `constructor`, and names that begin with `__`. GraphQL's own names, such as `__typename`, are allowed as
 * names of fields and types. Aliases and the names of variables, arguments, input fields, fragments and operations are
 * checked. Returns an error for each (docs/decisions/2026-11-22-names-of-documents.md).
 */
export function checkNames(document: DocumentNode): GraphQLError[] {
  const errors: GraphQLError[] = []
  visit(
    document,
    visitor(error => errors.push(error)),
  )
  return errors
}

/**
 * The same check as a GraphQL validation rule, for documents of the gateway's query planner. Names that the planner
 * creates are allowed. Clients cannot use them, because the gateway refuses them.
 */
export function namesRule(context: ValidationContext): ASTVisitor {
  return visitor(error => context.reportError(error), /^__batch_\w+$/)
}

function visitor(report: (error: GraphQLError) => void, allowed?: RegExp): ASTVisitor {
  return {
    Name(node, key, parent) {
      if (allowed?.test(node.value)) return
      const own = key === 'name' && parent && 'kind' in parent && allowsOwnNames.has(parent.kind)
      if (own ? inheritedNames.has(node.value) : isUnsafeName(node.value)) report(refusal(node))
    },
  }
}

/** Nodes whose names can be GraphQL's own names: fields and types. */
const allowsOwnNames: ReadonlySet<string> = new Set(['Field', 'NamedType'])

/** Names on `Object.prototype`. `__proto__` is included even if this process has removed it. */
const inheritedNames: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  '__proto__',
])

function isUnsafeName(name: string): boolean {
  return name.startsWith('__') || inheritedNames.has(name)
}

function refusal(node: NameNode): GraphQLError {
  const message = `The name ${node.value} is reserved. Choose another name.`
  return presented(new Problem('invalid_request', { message }), new GraphQLError('', { nodes: node }))
}
