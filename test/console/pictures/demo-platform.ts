import { randomUUID } from 'node:crypto'
import type { DemoClient } from './demo-account.ts'

/** The other accounts of the platform, with their credits in US dollars. */
const accounts = [
  ['Harbour Books', 'ines@harbour.example', '120'],
  ['Linden Studio', 'jonas@linden.example', '35.5'],
  ['Quarry Labs', 'mira@quarry.example', '900'],
] as const

/** Opens other accounts, and does an operator's work: credits, a suspension, a new price, a model that is switched off. */
export async function fillPlatform({ dev, operate }: DemoClient): Promise<void> {
  const ids: string[] = []
  for (const [name, email, amount] of accounts) {
    const response = await fetch(`${dev.base_url}/api/v1/auth/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, email, password: randomUUID() }),
    })
    const { account } = await response.json()
    ids.push(account.id)
    await operate(
      'mutation ($input: CreditAccountInput!) { creditAccount(input: $input) { transaction { id } } }',
      { accountId: account.id, amount, reason: 'Paid by invoice' },
    )
  }
  await operate(
    'mutation ($input: SuspendAccountInput!) { suspendAccount(input: $input) { account { suspendedAt } } }',
    { accountId: ids[1], reason: 'Invoice is overdue' },
  )
  await changePrice(operate)
}

/** Lowers the price of a model's output, and switches another model off. */
async function changePrice(operate: DemoClient['operate']): Promise<void> {
  const { catalogueEntry } = await operate(
    '{ catalogueEntry(id: "chat.atlas-nano") { declaration model { revision } } }',
  )
  const { declaration, model } = catalogueEntry
  for (const rate of declaration.prices.rates) if (rate.of === 'output') rate.price = '0.30 per 1M tokens'
  await operate('mutation ($input: PutModelInput!) { putModel(input: $input) { model { id } } }', {
    entry: declaration,
    expectedRevision: model.revision,
  })
  const { catalogueEntry: classic } = await operate(
    '{ catalogueEntry(id: "chat.lyric-classic") { model { revision } } }',
  )
  await operate('mutation ($input: UpdateModelInput!) { updateModel(input: $input) { model { id } } }', {
    id: 'chat.lyric-classic',
    expectedRevision: classic.model.revision,
    isActive: false,
  })
}
