import { dayMs, withTimeout } from '../../platform/clock.ts'
import { Problem } from '../../schema/errors.ts'
import { asUnavailable, type Media } from './media.ts'
import { dayOf } from './media-name.ts'
import type { MediaRow } from './media-rows.ts'

const timeoutMs = 5_000

/**
 * Finds a stored file by its name. Throws `media_expired` for one that was there once, as far as its name tells, and
 * `media_not_found`; `unavailable` where Postgres does not answer.
 */
export async function findMedia({ context, rows }: Media, name: string): Promise<MediaRow> {
  const { clock, config } = context
  const day = dayOf(name)
  if (day === undefined) throw new Problem('media_not_found')
  const row = await withTimeout(timeoutMs, rows.add(name)).catch(error => {
    throw asUnavailable(error)
  })
  const now = clock.now()
  if (row?.isThere && row.expiresAt.getTime() > now) return row
  const wasThere = row ? row.expiresAt.getTime() <= now : day + config.mediaDays * dayMs < now
  throw new Problem(wasThere ? 'media_expired' : 'media_not_found')
}
