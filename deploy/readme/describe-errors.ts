import { type CatalogueEntry, errorCatalogue } from '../../schema/errors.ts'

/** The README's table of errors. */
export function errorsTable(): string {
  const entries: [string, CatalogueEntry][] = Object.entries(errorCatalogue)
  const rows = entries.map(([name, { status, type, graphqlCode, text }]) => {
    const body = name === 'no_access' ? '`{"code": 401, "msg": …}` alone' : `\`${type}\``
    return `| ${status} | \`${name}\` | ${body} | \`${graphqlCode}\` | ${text} |`
  })
  return ['| status | code | type | in the graph | text |', '|---|---|---|---|---|', ...rows].join('\n')
}
