import { type Allowance, allowanceTable } from '../../schema/allowances.ts'

const preface = `# Allowances

The limits of an account, by resource. This page is generated from
\`schema/allowances.ts\` by \`npm run env:example\`.

- An account is in the tier *paying* while its top-ups and grants exceed its refunds and disputes. All other accounts are
  in the tier *never paid*.
- A request beyond an allowance fails with 429 \`allowance_exceeded\`. \`error.param\` names the resource. The request costs
  nothing.
- \`Retry-After\` of a 429 is a whole number of seconds, at least 1. For a limit in a window, it is the time until a further use is allowed. Each further refusal of \`key_requests\`, \`requests\` or \`polls\` has a later time, up to
  the window's length, so that retries are spread over the window. For a limit per process, it is 1; for
  \`running_tasks\`, it is 10. If it exceeds 60, responses of \`/v1\` have \`x-should-retry: false\`.
- Some limits do not refuse requests: \`body_bytes\`, \`callbacks\` and \`worker_steps\` delay work;
  \`refused_rows\` and \`kept_answer_bytes\` drop a log row or a stored response.
- Three limits have other errors: beyond \`key_requests\`, a request fails with 429 \`rate_limit_exceeded\`; beyond \`keys\`,
  creating a key fails with 422 \`validation_failed\`; beyond \`credentials_per_vendor\`, adding a credential fails with
  409 \`conflict\`.
- Limits *per process* count what the account uses in one process at the same time. All accounts of the tier
  *never paid* together get at most a quarter of what a process can serve (half of its \`queries\`), so they never slow
  down paying accounts.
- An account sees its own limits with \`{ me { allowances { resource limit unit } } }\` in the graph. Ask the
  operator to raise them.
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
