import { ServiceError } from './rest.ts'
import { activeSession } from './session.ts'

/** Downloads a file of `/api/v1` under a name. Throws `ServiceError`. */
export async function download(path: string, name: string): Promise<void> {
  const session = await activeSession()
  const response = await fetch(`/api/v1${path}`, {
    headers: { authorization: `Bearer ${session?.token}` },
  }).catch(() => undefined)
  const content = response?.ok ? await response.blob().catch(() => undefined) : undefined
  if (!content) throw await errorOf(response)
  const url = URL.createObjectURL(content)
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  // The browser has started to read the content in the same turn.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}

async function errorOf(response: Response | undefined): Promise<ServiceError> {
  const body = (await response?.json().catch(() => undefined)) as { msg?: string } | undefined
  return new ServiceError(body?.msg ?? 'The service does not answer.', { code: 'download_failed' })
}
