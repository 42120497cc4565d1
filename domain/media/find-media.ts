import { dayMs, withTimeout } from '../../platform/clock.ts'
import { Problem } from '../../schema/errors.ts'
import { asUnavailable, type Media } from './media.ts'
import { dayOf } from './media-name.ts'
import type { MediaRow } from './media-rows.ts'

const timeoutMs = 5_000

/**
 * Finds a stored file by its name. Throws `media_expired` if the file has expired, `media_not_found` if there is none,
 * and `unavailable` if Postgres does not answer. If the row is already deleted, the day in the name and this process's
 * clock decide between the first two.
 */
export async function findMedia({ context, rows }: Media, name: string): Promise<MediaRow> {
  const { clock, config } = context
  const day = dayOf(name)
  if (day === undefined) throw new Problem('media_not_found')
  const row = await withTimeout(timeoutMs, rows.add(name)).catch(error => {
    throw asUnavailable(error)
  })
  if (row?.isThere && row.leftMs > 0) return row
  const wasThere = row ? row.leftMs <= 0 : day + config.mediaDays * dayMs < clock.now()
  throw new Problem(wasThere ? 'media_expired' : 'media_not_found')
}
