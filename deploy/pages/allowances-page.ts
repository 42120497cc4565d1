import { type Allowance, allowanceTable } from '../../schema/allowances.ts'

const preface = `# Allowances

The resources that an account can consume, and how much of each it gets. This page is generated from
\`schema/allowances.ts\` by \`npm run env:example\`.

- An account is *paying* while its top-ups and grants exceed its refunds and disputes. Every other account *never paid*.
- A request beyond an allowance fails with 429 \`allowance_exceeded\`. \`error.param\` names the resource, and \`Retry-After\`
  says when to retry. The request costs nothing.
- Two limits of what exists have other errors: one more key (\`keys\`) is a 422 \`validation_failed\`, one more credential
  (\`credentials_per_vendor\`) a 409 \`conflict\`.
- Limits *per process* count what the account uses in one process at the same time. All accounts that never paid together
  get at most a quarter of what a process can serve, so they never slow down paying accounts.
- An operator changes the limits of all accounts with the setting \`ALLOWANCES\`, and the limits of one account with
  \`npm run account:limit\`.`

/** Returns `docs/allowances.md`: every resource with its limits. */
export function allowancesPage(): string {
  const entries: [string, Allowance][] = Object.entries(allowanceTable)
  const rows = entries.map(([name, { neverPaid, paying, unit, per, doc }]) => {
    const span = typeof per === 'number' ? `in ${per} s` : `per ${per}`
    return `| \`${name}\` | ${neverPaid} | ${paying} | ${unit} ${span} | ${doc} |`
  })
  const table = ['| resource | never paid | paying | unit | what counts |', '|---|---|---|---|---|', ...rows]
  return `${preface}\n\n${table.join('\n')}\n`
}
