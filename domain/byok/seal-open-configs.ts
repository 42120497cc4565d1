import type { JsonObject } from '../../schema/json.ts'
import type { Context } from '../context.ts'
import { openCredential, sealConfig } from './seal-credential.ts'
import { joinConfig, mask, splitConfig } from './split-config.ts'

interface ConfigRow {
  account_id: string
  id: string
  config: JsonObject
  config_secrets_sealed: Uint8Array | null
}

/** What was done. */
export interface SealedConfigs {
  sealed: number
  /** Ids of credentials whose secrets cannot be opened. */
  faulty: string[]
}

const batchRows = 200

/**
 * Seals the values that earlier versions, which knew fewer names of secrets, left open in configurations.
 * Each batch is a transaction, and rows without such values are not touched: it can be stopped and run again
 * while the system runs.
 */
export async function sealOpenConfigs({
  sql,
  vault,
}: Pick<Context, 'sql' | 'vault'>): Promise<SealedConfigs> {
  const done: SealedConfigs = { sealed: 0, faulty: [] }
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const last = await sql.begin(async sql => {
      const rows = await sql<ConfigRow[]>`
        select account_id, id, config, config_secrets_sealed from provider_credentials
        where id > ${after} and config is not null order by id limit ${batchRows} for no key update`
      for (const row of rows) {
        const columns = resealed({ vault }, row, done)
        if (!columns) continue
        await sql`
          update provider_credentials set config = ${JSON.stringify(columns.config)}::text::jsonb,
            config_secrets_sealed = ${columns.configSecretsSealed ?? null}
          where account_id = ${row.account_id} and id = ${row.id}`
        done.sealed += 1
      }
      return rows.at(-1)?.id
    })
    if (!last) return done
    after = last
  }
}

/** The new columns of a row; undefined where nothing is open, or its secrets cannot be opened. */
function resealed({ vault }: Pick<Context, 'vault'>, row: ConfigRow, done: SealedConfigs) {
  const place = { accountId: row.account_id, id: row.id }
  if (splitConfig(row.config).secrets.every(({ value }) => value === mask)) return undefined
  try {
    const configSecretsSealed = row.config_secrets_sealed && Buffer.from(row.config_secrets_sealed)
    const sealed = { ...place, apiKeySealed: null, config: row.config, configSecretsSealed }
    const { config } = openCredential({ vault }, sealed)
    return sealConfig({ vault }, place, config ? joinConfig(config) : null)
  } catch {
    done.faulty.push(row.id)
    return undefined
  }
}
