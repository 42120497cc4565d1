import { onTestFinished } from 'vitest'
import { answerJson, aVendor } from '../harness/a-vendor.ts'

export interface SlowVendor {
  /** A base address to lead a credential to. */
  url: string
  /** Resolves when it is called. */
  called: Promise<void>
  /** Answers all waiting and later requests with 500. */
  fail(): void
}

/** A vendor that does not answer until `fail` is called. It is closed when the test ends. */
export async function aSlowVendor(): Promise<SlowVendor> {
  const call = Promise.withResolvers<void>()
  const failing = Promise.withResolvers<void>()
  const { url, close } = await aVendor(async response => {
    call.resolve()
    await failing.promise
    answerJson(response, 500, {})
  })
  onTestFinished(close)
  return { url, called: call.promise, fail: failing.resolve }
}
