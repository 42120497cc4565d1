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

/** What became of the rows that were looked at. */
export interface SealedConfigs {
  sealed: number
  /** Ids of credentials whose secrets do not open. */
  faulty: string[]
}

const batchRows = 200

/**
 * Seals what configurations keep open although it is not known to be harmless: rows of a time when fewer names told a
 * secret. Batch by batch, each a transaction of its own; rows that are as they should be are left alone, so it can be
 * stopped and run again, while everything else runs.
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
        const anew = sealAnew({ vault }, row, done)
        if (!anew) continue
        await sql`
          update provider_credentials set config = ${JSON.stringify(anew.config)}::text::jsonb,
            config_secrets_sealed = ${anew.configSecretsSealed ?? null}
          where account_id = ${row.account_id} and id = ${row.id}`
        done.sealed += 1
      }
      return rows.at(-1)?.id
    })
    if (!last) return done
    after = last
  }
}

/** What a row is to hold; undefined where it is as it should be, or does not open. */
function sealAnew({ vault }: Pick<Context, 'vault'>, row: ConfigRow, done: SealedConfigs) {
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
