import { cheapestChatModel } from '../../domain/byok/test-credential.ts'
import { systemClock } from '../../platform/clock.ts'
import type { PlatformCredential } from '../../platform/config/credentials.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { sendSmallestRequest } from '../../upstreams/call/open-own-vendors.ts'
import { openUpstreams, type Upstreams } from '../../upstreams/call/open-upstreams.ts'
import { serves } from '../../upstreams/platform-credentials.ts'
import type { Finding, Result } from './check.ts'

/**
 * Sends the smallest chat request, for one token of output, with each credential of the platform, to the cheapest model
 * that it serves. A credential without a chat model or an address is not checked.
 */
export async function checkVendors(sql: Sql, config: Config): Promise<Result> {
  const upstreams = openUpstreams(config)
  try {
    const outcomes = await Promise.all(
      [...config.vendors].flatMap(([label, { credentials }]) =>
        credentials.map(credential => tryCredential({ sql, upstreams }, label, credential)),
      ),
    )
    const skipped = outcomes.flatMap(({ name, isChecked }) => (isChecked ? [] : [name]))
    const notChecked = skipped.length > 0 ? `; not checked, without a chat model: ${skipped.join(', ')}` : ''
    return {
      findings: outcomes.flatMap(({ finding }) => finding ?? []),
      summary: `${outcomes.length - skipped.length} credentials answered${notChecked}`,
    }
  } finally {
    await upstreams.close()
  }
}

async function tryCredential(
  { sql, upstreams }: { sql: Sql; upstreams: Upstreams },
  label: string,
  credential: PlatformCredential,
): Promise<{ name: string; isChecked: boolean; finding?: Finding }> {
  const name = `${label}/${credential.name}`
  const model = await cheapestChatModel(
    { sql, clock: systemClock },
    entry => entry.provider === label && serves(credential, entry),
  )
  const target = model && upstreams.credentials.find(model, credential.name)
  if (!model || !target) return { name, isChecked: false }
  const failure = await sendSmallestRequest(upstreams, { entry: model.entry, target }, 'rb-doctor')
  if (!failure) return { name, isChecked: true }
  const status = failure.status === undefined ? '' : ` with ${failure.status}`
  const fault = `${name} fails${status} for ${model.entry.model}: ${failure.message}`
  return {
    name,
    isChecked: true,
    finding: { fault, remedy: 'Correct the credential or its address, or ask the vendor.' },
  }
}
