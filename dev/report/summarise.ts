import { styleText } from 'node:util'
import type { ChosenService } from '../databases/choose-postgres.ts'
import type { Home } from '../home/open-home.ts'
import type { DevFile } from '../home/write-dev-file.ts'
import type { VendorRoute } from '../processes/simulated-vendors.ts'

export interface House {
  home: Home
  dev: DevFile
  database: ChosenService
  redis: ChosenService
  vendors: readonly VendorRoute[]
  /** A chat model that can be reached. */
  model: string
}

/** What somebody needs to know once the house is up, and no more. */
export function summarise(house: House, stream: NodeJS.WriteStream): string {
  const { dev, home } = house
  const bold = (text: string) => styleText('bold', text, { stream })
  const rows = [
    ['models', `${dev.base_url}/v1`],
    ['management', `${dev.base_url}/api/v1`],
    ['graph', dev.graphql_url],
    ['API key', dev.api_key],
    ['log-in', `${dev.email}  ${dev.password}`],
    ['database', `${dev.database_url}  (${house.database.origin})`],
    ['Redis', `${dev.redis_url}  (${house.redis.origin})`],
    ['simulated', `${labels(house.vendors, 'simulated')}  (a VENDOR_A_API_KEY makes vendor_a real)`],
    ['real', labels(house.vendors, 'real')],
    ['not reachable', `${labels(house.vendors, 'none')}  (no credential, and nothing simulates them)`],
    ['loopback', 'allowed as the address of vendors and callbacks: never in production'],
    ['files', `${home.devFile}, logs beside it`],
  ].filter(([, text]) => !text?.startsWith('  ') && text !== '')
  const lines = rows.map(([name = '', text = '']) => `  ${name.padEnd(14)}${text}`)
  return [
    '',
    `  ${bold(`Rubicon is up: ${dev.base_url}`)}`,
    '',
    ...lines,
    '',
    `  ${bold('A first request')}`,
    '',
    ...firstRequest(house),
    '',
    '  Ctrl-C stops everything. What is stored stays.',
    '',
  ].join('\n')
}

function firstRequest({ dev, model }: House): string[] {
  return [
    `  curl ${dev.base_url}/v1/chat/completions \\`,
    `    -H 'Authorization: Bearer ${dev.api_key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  ]
}

function labels(vendors: readonly VendorRoute[], kind: VendorRoute['kind']): string {
  return vendors
    .filter(vendor => vendor.kind === kind)
    .map(({ label }) => label)
    .join(', ')
}
