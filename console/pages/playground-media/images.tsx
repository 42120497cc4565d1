import { Link } from '@tanstack/react-router'
import { InferenceError } from '../../inference/inference-error.tsx'
import { useCost } from '../../inference/use-cost.ts'
import { useText } from '../../text/language.ts'
import { Money } from '../../ui/values.tsx'
import { messages } from './messages.ts'

/** A request for images that this page has sent. */
export interface ImageRequest {
  id: string
  model: string
  prompt: string
  urls: readonly string[] | undefined
  requestId: string | undefined
  error: unknown
}

/** The images of each request, the newest first. */
export function Images({ requests }: { requests: readonly ImageRequest[] }) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {requests.map(request => (
        <li key={request.id} className="flex flex-col gap-3 px-5 py-4">
          <Shown request={request} />
        </li>
      ))}
    </ul>
  )
}

function Shown({ request: { model, prompt, urls, requestId, error } }: { request: ImageRequest }) {
  const text = useText(messages)
  return (
    <>
      <p className="line-clamp-2 break-words">
        {prompt} <span className="text-muted">{model}</span>
      </p>
      {error !== undefined && <InferenceError error={error} />}
      {urls === undefined && error === undefined && (
        <div role="status" className="flex flex-col gap-2 text-sm text-muted">
          <span className="aspect-video max-w-xs animate-pulse rounded-md bg-hover motion-reduce:animate-none" />
          {text.generating}
        </div>
      )}
      {urls && (
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {urls.map(url => (
            <a key={url} href={url} target="_blank" rel="noopener noreferrer" title={text.openImage}>
              <img src={url} alt={text.image(prompt)} className="w-full rounded-md border border-line" />
            </a>
          ))}
        </div>
      )}
      {requestId !== undefined && <Cost requestId={requestId} />}
    </>
  )
}

function Cost({ requestId }: { requestId: string }) {
  const text = useText(messages)
  const cost = useCost(requestId)
  return (
    <p className="text-sm text-muted">
      {text.cost} <span className="text-ink">{cost ? <Money amount={cost.cost} /> : '…'}</span>{' '}
      <Link to="/requests" search={{ request: requestId }} className="underline hover:text-ink">
        {text.details}
      </Link>
    </p>
  )
}
