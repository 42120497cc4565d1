/**
 * What `promise` resolves to, or an error once `ms` have passed: for what others wait behind, so that one
 * answer that never comes (a connection lost without a word) does not stop them all.
 */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
