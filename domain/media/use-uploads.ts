import { dayMs } from '../../platform/clock.ts'
import { invalidParam } from '../../schema/refuse-param.ts'
import { asUnavailable, type Media } from './media.ts'
import { folderOf } from './media-name.ts'
import { ownNameOf } from './own-name.ts'

/** The account that uses uploads, and whether the use extends their lifetime by another `MEDIA_DAYS`. */
export interface UploadUse {
  accountId: string
  prolongs: boolean
}

/**
 * Checks that the uploads in a request belong to its account, and extends their lifetime if `prolongs` is set. `params`
 * has the parameter of each URL; other URLs are ignored. Throws `invalid_request`, which names the parameter, and
 * `unavailable`.
 */
export async function useUploads(
  media: Media,
  { accountId, prolongs }: UploadUse,
  params: ReadonlyMap<string, string>,
): Promise<void> {
  const { sql, config } = media.context
  const paramByName = new Map<string, string>()
  for (const [address, param] of params) {
    const name = ownNameOf(config, address)
    if (name?.startsWith(folderOf('upload'))) paramByName.set(name, param)
  }
  if (paramByName.size === 0) return
  const names = [...paramByName.keys()]
  const isThere = sql`account_id = ${accountId} and name = any(${names}) and kind = 'upload'
    and stored_at is not null and removed_at is null and expires_at > clock_timestamp()`
  const lasts = `${config.mediaDays * dayMs} ms`
  const found = await (prolongs
    ? sql<{ name: string }[]>`
      update media_files set expires_at = greatest(expires_at, clock_timestamp() + ${lasts}::interval) where ${isThere} returning name`
    : sql<{ name: string }[]>`select name from media_files where ${isThere}`
  ).catch(error => {
    throw asUnavailable(error)
  })
  for (const { name } of found) paramByName.delete(name)
  for (const param of paramByName.values()) {
    throw invalidParam(param, 'is no upload of this account, or it has expired')
  }
}
