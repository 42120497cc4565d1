import { errorCatalogue } from '../../schema/error-catalogue.ts'
import type { CatalogueEntry } from '../../schema/error-entry.ts'

const preface = `# Errors

Every error that a client can see, generated from \`schema/error-catalogue.ts\` by \`npm run env:example\`. The bodies that carry
them, and the order of the checks, are in [behaviour.md](behaviour.md#errors).

Clients should branch on the status and the code, because the text can be replaced by a text that names the parameter and
the reason. In GraphQL, the column "GraphQL" is \`extensions.code\`, and the column "code" is \`extensions.problem\`.`

/** `docs/errors.md`: every error of the catalogue. */
export function errorsPage(): string {
  const entries: [string, CatalogueEntry][] = Object.entries(errorCatalogue)
  const rows = entries.map(([name, { status, type, graphqlCode, text }]) => {
    const body = name === 'no_access' ? '`{"code": 401, "msg": …}` alone' : `\`${type}\``
    return `| ${status} | \`${name}\` | ${body} | \`${graphqlCode}\` | ${text} |`
  })
  const table = ['| status | code | type | GraphQL | text |', '|---|---|---|---|---|', ...rows]
  return `${preface}\n\n${table.join('\n')}\n`
}
