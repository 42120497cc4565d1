import { useSyncExternalStore } from 'react'
import { openSignal } from '../stores/open-signal.ts'

/** Interval at which the console looks whether the service answers again, in milliseconds. */
const probeMs = 3_000

const signal = openSignal()
let isAnswering = true
let isWaiting = false

/** Resolves to whether the service answers now. */
export async function isReachable(): Promise<boolean> {
  const answer = await fetch('/console/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  return answer !== undefined && answer.status < 500
}

/** Reports a request without an answer. If the service does not answer, the console waits until it answers again. */
export function reportUnanswered(): void {
  if (isWaiting) return
  isWaiting = true
  void waitForAnswer().finally(() => {
    isWaiting = false
  })
}

async function waitForAnswer(): Promise<void> {
  while (!(await isReachable())) {
    set(false)
    await new Promise(resolve => setTimeout(resolve, probeMs))
  }
  set(true)
}

function set(answers: boolean): void {
  if (isAnswering === answers) return
  isAnswering = answers
  signal.notify()
}

/** Returns whether the service answers, as far as the console knows. */
export function useIsAnswering(): boolean {
  return useSyncExternalStore(signal.subscribe, () => isAnswering)
}

/** Calls a function when the service answers again. Returns a function that stops this. */
export function onRecovery(listener: () => void): () => void {
  return signal.subscribe(() => {
    if (isAnswering) listener()
  })
}
