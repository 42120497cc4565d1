import { mintOperatorKey } from '../domain/callers/operators.ts'
import { systemIds } from '../platform/ids.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Creates a key with which an operator calls the graph, for example to credit and debit accounts and to compare the books.
The key is printed once and not stored. Add its hash, which is also printed, to OPERATOR_KEYS.

  npm run operator:key -- NAME

  NAME   the operator's name in the audit log: letters, digits, dots, dashes
`

await runMain({
  name: 'operator:key',
  help,
  maxOperands: 1,
  async start(_, { operands }) {
    const [name = ''] = operands
    if (!/^[\w.-]{1,50}$/.test(name)) throw new Error('give NAME: letters, digits, dots and dashes')
    const { key, digest } = mintOperatorKey(systemIds)
    process.stdout.write(`key of ${name}, shown once:\n${key}\n\nadd to OPERATOR_KEYS:\n${name}=${digest}\n`)
    return undefined
  },
})
