import { Link } from '@tanstack/react-router'
import { useQuery } from 'urql'
import { useFormat, useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type DetailRow, Details, Time } from '../../ui/values.tsx'
import { type RequestDetail, requestDocument } from './documents.ts'
import { messages } from './messages.ts'
import { Price } from './price.tsx'
import { RequestStatus } from './status.tsx'

/** The panel of one request: its price item by item, its attempts, and everything that is stored about it. */
export function RequestDialog({ id, onClose }: { id: string; onClose(): void }) {
  const text = useText(messages)
  const query = useQuery({ query: requestDocument, variables: { id } })
  return (
    <Dialog side title={text.request} onClose={onClose}>
      <Loaded query={query} select={found => found.request} lines={10} missing={text.missing}>
        {request => <Detail request={request} />}
      </Loaded>
    </Dialog>
  )
}

function Detail({ request }: { request: RequestDetail }) {
  const text = useText(messages)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-2">
        <CopyText value={request.id} />
        <div className="flex flex-wrap items-center gap-3">
          <RequestStatus request={request} />
          <Time value={request.createdAt} />
        </div>
      </div>
      <Section title={text.price}>
        <Price request={request} />
      </Section>
      <Again request={request} />
      <Timing request={request} />
      <Attempts request={request} />
      <RequestDetails request={request} />
    </div>
  )
}

/** The beginnings of routes whose requests the playgrounds can send again. */
const kinds = [
  ['images', 'images'],
  ['videos', 'videos'],
  ['audio', 'audio'],
] as const

/** Opens the model of the request in the playground. Bodies are not stored, so the reader enters the text again. */
function Again({ request: { route, modelName } }: { request: RequestDetail }) {
  const text = useText(messages)
  if (modelName === null || route === 'embeddings' || route === 'uploads') return null
  const kind = kinds.find(([beginning]) => route.startsWith(beginning))?.[1]
  const look = `${buttonClass('secondary')} self-start`
  return kind ? (
    <Link to="/playground/$kind" params={{ kind }} search={{ model: modelName }} className={look}>
      {text.again}
    </Link>
  ) : (
    <Link to="/playground" search={{ model: modelName }} className={look}>
      {text.again}
    </Link>
  )
}

/** The time to the first byte as a part of the whole duration. */
function Timing({ request: { firstByteMs, durationMs } }: { request: RequestDetail }) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <Section title={text.timing}>
      <p>
        {text.duration}: {format.duration(durationMs)}
        {firstByteMs !== null && `, ${text.firstByte}: ${format.duration(firstByteMs)}`}
      </p>
      {firstByteMs !== null && durationMs > 0 && (
        <svg
          aria-hidden="true"
          viewBox="0 0 100 4"
          preserveAspectRatio="none"
          className="h-1.5 w-full rounded-full"
        >
          <rect width="100" height="4" className="fill-series-2" />
          <rect
            width={Math.min(100, (firstByteMs / durationMs) * 100)}
            height="4"
            className="fill-series-4"
          />
        </svg>
      )}
    </Section>
  )
}

function Attempts({ request: { attempts } }: { request: RequestDetail }) {
  const text = useText(messages)
  const format = useFormat()
  if (!attempts || attempts.length === 0) return null
  return (
    <Section title={text.attempts}>
      <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
        {attempts.map((attempt, index) => (
          <li key={`${index.toString()} ${attempt.modelName}`} className="flex flex-col gap-1 px-4 py-2.5">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">{attempt.modelName}</span>
              <span className="text-muted">
                {attempt.status ?? text.unanswered} · {format.duration(attempt.durationMs)}
              </span>
            </div>
            <p className="text-sm text-muted">
              {attempt.vendor?.toLowerCase()},{' '}
              {attempt.credential ? text.ownCredential(attempt.credential.label) : text.platformCredential}
              {attempt.reason !== null && ` (${attempt.reason})`}
            </p>
            {attempt.error !== null && <p className="text-sm break-words text-danger">{attempt.error}</p>}
          </li>
        ))}
      </ol>
    </Section>
  )
}

function RequestDetails({ request }: { request: RequestDetail }) {
  const text = useText(messages)
  const format = useFormat()
  const rows: DetailRow[] = [
    [text.route, request.route],
    [text.model, request.modelName],
    [text.answeredBy, request.answeredByName],
    [text.vendor, request.vendor?.toLowerCase()],
    [text.key, request.apiKey?.name],
    [text.error, request.errorCode],
    [text.streamed, request.streamed ? text.yes : text.no],
    [text.input, format.number(request.promptTokens)],
    [text.cached, request.cachedTokens > 0 && format.number(request.cachedTokens)],
    [text.written, request.cacheCreationTokens > 0 && format.number(request.cacheCreationTokens)],
    [text.output, format.number(request.completionTokens)],
    [text.reasoning, request.reasoningTokens > 0 && format.number(request.reasoningTokens)],
    [text.endUser, request.endUser],
    [text.address, request.clientAddress],
    [text.upstreamId, request.upstreamRequestId && <CopyText value={request.upstreamRequestId} />],
    [text.metadata, request.metadata?.map(({ key, value }) => `${key}=${value}`).join(', ')],
  ]
  return (
    <Section title={text.details}>
      <Details rows={rows} />
    </Section>
  )
}
