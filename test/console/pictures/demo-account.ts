import type { DevFile } from '../../../dev/home.ts'

/** Calls of the demo account to a running system. */
export interface DemoClient {
  dev: DevFile
  /** Runs a document of the graph. Throws its errors. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller names the fields that it reads
  graph(document: string, input: object): Promise<any>
  /** Runs a document of the graph as an operator. Throws its errors. */
  // biome-ignore lint/suspicious/noExplicitAny: the caller names the fields that it reads
  operate(document: string, input?: object): Promise<any>
  /** Sends a request below `/v1` with an API key. */
  send(path: string, key: string, body: object): Promise<Response>
}

export function openDemoClient(dev: DevFile): DemoClient {
  const post = (url: string, token: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const ask = async (token: string, query: string, input: object | undefined) => {
    const response = await post(dev.graphql_url, token, { query, variables: { input } })
    const { data, errors } = await response.json()
    if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`)
    return data
  }
  return {
    dev,
    graph: (query, input) => ask(dev.jwt, query, input),
    operate: (query, input) => ask(dev.operator_key, query, input),
    send: (path, key, body) => post(`${dev.base_url}/v1${path}`, key, body),
  }
}

/** The API keys of the demo account, by what they are for. */
export interface DemoKeys {
  storefront: string
  search: string
  nightly: string
}

/** Gives the demo account keys, credentials, budgets and alerts. Returns the keys. */
export async function fillAccount({ graph, dev }: DemoClient): Promise<DemoKeys> {
  const createKey = async (input: object) => {
    const { createApiKey } = await graph(
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }',
      input,
    )
    return createApiKey.key as string
  }
  const keys = {
    storefront: await createKey({ name: 'Storefront', creditLimit: '40', creditResetInterval: 'MONTHLY' }),
    search: await createKey({ name: 'Search', rateLimitRpm: 600 }),
    nightly: await createKey({ name: 'Nightly batch', creditLimit: '0.6', creditResetInterval: 'DAILY' }),
  }
  const createCredential =
    'mutation ($input: CreateByokCredentialInput!) { createByokCredential(input: $input) { credential { id } } }'
  for (const [label, apiKey] of [
    ['Spare', 'sk-demo-spare-1234567890'],
    ['Main contract', 'sk-demo-main-1234567890'],
  ])
    await graph(createCredential, { provider: 'VENDOR_C', label, apiKey })
  const createBudget =
    'mutation ($input: CreateBudgetInput!) { createBudget(input: $input) { budget { action } } }'
  for (const budget of [
    { account: true, limit: '250', action: 'WARN' },
    { tag: { key: 'team', value: 'search' }, limit: '0.02', action: 'WARN' },
    { endUser: 'ada@example.org', limit: '5', action: 'REFUSE' },
  ])
    await graph(createBudget, { resetInterval: 'MONTHLY', ...budget })
  const createAlert =
    'mutation ($input: CreateBalanceAlertInput!) { createBalanceAlert(input: $input) { balanceAlert { threshold } } }'
  for (const threshold of ['25', '5']) await graph(createAlert, { threshold })
  await graph(
    'mutation ($input: UpdateAlertSettingsInput!) { updateAlertSettings(input: $input) { alertSettings { webhookUrl } } }',
    { webhookUrl: `${dev.receiver_url}/callbacks` },
  )
  await graph(
    'mutation ($input: CreateInvitationInput!) { createInvitation(input: $input) { invitation { email } } }',
    { email: 'grace@example.org', role: 'DEVELOPER' },
  )
  return keys
}
