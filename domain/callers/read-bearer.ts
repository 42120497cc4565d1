/** Longer than any credential of ours. */
const maxLength = 8192

/**
 * The credential that an Authorization header carries, by the one rule of every entry point: `Bearer`, in any case, one blank
 * or more, and the credential. Undefined for anything else, such as two headers in one.
 */
export function readBearer(authorization: string | undefined): string | undefined {
  const credential = /^Bearer +([^\s,]+)$/i.exec(authorization ?? '')?.[1]
  return credential !== undefined && credential.length <= maxLength ? credential : undefined
}
