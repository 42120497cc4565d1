import { mintOperatorKey } from '../domain/callers/operators.ts'
import { systemIds } from '../platform/ids.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Makes a key with which an operator calls the graph: to credit and debit accounts, and to compare the books. It is
printed once and kept nowhere: OPERATOR_KEYS takes its hash alone.

  npm run operator:key -- NAME

  NAME   who it is for, as the audit log shall say: letters, digits, dots, dashes
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
