import { useSyncExternalStore } from 'react'
import { answerOf, ServiceError } from '../../session/rest.ts'
import { openSignal } from '../../stores/open-signal.ts'

/** An operator who works with this page. The key is in memory only: a reload forgets it. */
export interface Operator {
  name: string
  key: string
}

/** Why the page has no key any more; undefined before the first one. */
export type Ending = 'refused' | undefined

const signal = openSignal()
let current: Operator | undefined
let ending: Ending

/** Checks a key with the service, and keeps it for this page. Throws `ServiceError` if the service refuses it. */
export async function enterKey(key: string): Promise<void> {
  const response = await fetch('/api/v1/operator', {
    headers: { authorization: `Bearer ${key}` },
    credentials: 'omit',
    cache: 'no-store',
  }).catch(() => undefined)
  const { name } = await answerOf<{ name: string }>(response)
  if (typeof name !== 'string')
    throw new ServiceError('The service does not answer.', { code: 'unreachable' })
  ending = undefined
  set({ name, key })
}

/** Forgets the key and everything that was read with it. */
export function leave(): void {
  current = undefined
  location.replace('/console/operator')
}

/** Forgets a key that the service refuses, for example because it was removed from the settings. */
export function forgetKey(): void {
  ending = 'refused'
  set(undefined)
}

/** Returns the key of the time. */
export function activeKey(): string | undefined {
  return current?.key
}

export function useOperator(): Operator | undefined {
  return useSyncExternalStore(signal.subscribe, () => current)
}

export function useEnding(): Ending {
  return useSyncExternalStore(signal.subscribe, () => ending)
}

function set(operator: Operator | undefined): void {
  current = operator
  signal.notify()
}
