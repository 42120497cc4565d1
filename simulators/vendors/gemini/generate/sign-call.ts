import { createHmac } from 'node:crypto'

/** A signature that only this model takes back, and only from this caller. */
export function signCall({ caller, model }: { caller: string; model: string }, name: string): string {
  return createHmac('sha256', 'simulator')
    .update(JSON.stringify([caller, model, name]))
    .digest('base64')
}

export function isSignedBy(
  signature: string,
  signer: { caller: string; model: string },
  name: string,
): boolean {
  return signature === signCall(signer, name)
}
