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
 * Refuses names that would be dangerous as a property of a JavaScript object: names on `Object.prototype`,
 * such as `constructor`, and names that begin with `__`, except GraphQL's own (`__typename`) as the name of a
 * field or type. Checked are aliases and the names of variables, arguments, input fields, fragments and
 * operations. Returns an error for each. Why: docs/decisions/2026-11-22-names-of-documents.md.
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
 * The same check as a GraphQL validation rule, for documents that the gateway's planner wrote: its own names
 * pass. Clients cannot use them, as the gateway refuses them.
 */
export function namesRule(context: ValidationContext): ASTVisitor {
  return visitor(error => context.reportError(error), /^__batch_\w+$/)
}

function visitor(report: (error: GraphQLError) => void, allowed?: RegExp): ASTVisitor {
  return {
    Name(node, key, parent) {
      if (allowed?.test(node.value)) return
      const own = key === 'name' && parent && 'kind' in parent && readsOwn.has(parent.kind)
      if (own ? inheritedNames.has(node.value) : isUnsafeName(node.value)) report(refusal(node))
    },
  }
}

/** Where `__typename`, `__schema` and `__Type` are meant as such: names of fields and of types. */
const readsOwn: ReadonlySet<string> = new Set(['Field', 'NamedType'])

/** `__proto__` among them, whether or not this process has it. */
const inheritedNames: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  '__proto__',
])

function isUnsafeName(name: string): boolean {
  return name.startsWith('__') || inheritedNames.has(name)
}

function refusal(node: NameNode): GraphQLError {
  const message = `The name ${node.value} cannot be used: choose another.`
  return presented(new Problem('invalid_request', { message }), new GraphQLError('', { nodes: node }))
}
