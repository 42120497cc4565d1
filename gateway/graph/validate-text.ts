import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type ASTNode, type ASTVisitor, Kind, type ValidationContext } from 'graphql'
import { isText } from '../../platform/is-text.ts'
import { notText } from '../../subgraphs/runtime/check-variables.ts'

/** Refuses documents with a text in them that cannot be kept, as variables are refused: named by its parameter. */
export function validateText(): GatewayPlugin {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(textRule)
    },
  }
}

function textRule(context: ValidationContext): ASTVisitor {
  return {
    StringValue(node, _key, parent, _path, ancestors) {
      if (!isText(node.value)) context.reportError(notText([...ancestors, parent].flatMap(nameOf)))
    },
  }
}

/** The names on the way to a value: `name` for `(input: { name: "…" })`. */
function nameOf(ancestor: ASTNode | readonly ASTNode[] | undefined): string[] {
  if (!ancestor || !('kind' in ancestor)) return []
  if (ancestor.kind === Kind.VARIABLE_DEFINITION) return [ancestor.variable.name.value]
  if (ancestor.kind !== Kind.ARGUMENT && ancestor.kind !== Kind.OBJECT_FIELD) return []
  return ancestor.name.value === 'input' ? [] : [ancestor.name.value]
}
