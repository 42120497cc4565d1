import { setTimeout as sleep } from 'node:timers/promises'

/** Asks the address ten times a second until it answers 2xx. Resolves to false when `enough` fires first. */
export async function answersWell(address: string, enough: AbortSignal): Promise<boolean> {
  while (!enough.aborted) {
    const answered = await fetch(address, { signal: AbortSignal.timeout(2000) }).then(
      response => response.ok,
      () => false,
    )
    if (answered) return true
    await sleep(100)
  }
  return false
}
