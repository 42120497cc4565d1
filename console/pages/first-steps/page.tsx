import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { graphql } from '../../graph/documents.ts'
import { type Faults, faultsOf } from '../../graph/faults.ts'
import { useRepeatedRead } from '../../graph/use-repeated-read.ts'
import { PermittedButton } from '../../shell/permissions.tsx'
import { useBalance } from '../../shell/use-balance.ts'
import { useFormat, useText } from '../../text/language.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { FormFault } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { messages } from './messages.ts'
import { curlSnippet, pythonSnippet, typescriptSnippet } from './snippets.ts'

const createDocument = graphql(`
  mutation CreateFirstKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id } } }
`)

const firstRequestDocument = graphql(`
  query FirstRequest {
    me { balance { available } }
    requests(first: 1) { nodes { id status } }
    models(first: 1, filter: { modalities: [CHAT] }) { nodes { inferenceId } }
  }
`)

/** Interval at which the page looks for the first request, in milliseconds. */
const intervalMs = 3_000

const noFields: readonly string[] = []

export default function FirstStepsPage() {
  const text = useText(messages)
  const [key, setKey] = useState<string>()
  const [{ data }, read] = useQuery({ query: firstRequestDocument })
  const [request] = data?.requests?.nodes ?? []
  const hasSucceeded = request !== undefined && request.status < 400
  useRepeatedRead(read, { intervalMs, isNeeded: !hasSucceeded })
  const snippet = {
    origin: location.origin,
    key: key ?? text.placeholder,
    model: data?.models?.nodes[0]?.inferenceId ?? 'vendor/model',
    content: text.hello,
  }
  return (
    <Page title={text.title} intro={text.intro}>
      <Panel title={text.creditsTitle}>
        <Credits available={data?.me.balance?.available} />
      </Panel>
      <Panel title={text.createTitle}>
        <CreateKey apiKey={key} onCreated={setKey} />
      </Panel>
      <Panel title={text.sendTitle}>
        <div className="flex flex-col gap-4 p-5">
          <p>{text.send}</p>
          <CodeBlock label={text.curl} code={curlSnippet(snippet)} />
          <CodeBlock label={text.python} code={pythonSnippet(snippet)} />
          <CodeBlock label={text.typescript} code={typescriptSnippet(snippet)} />
        </div>
      </Panel>
      <Panel title={text.seeTitle}>
        <FirstRequest request={request} />
      </Panel>
    </Page>
  )
}

/** The credits that pay for requests, or the next step if there are none. */
function Credits({ available }: { available: string | undefined }) {
  const text = useText(messages)
  const format = useFormat()
  const navigate = useNavigate()
  const live = useBalance()?.available ?? available
  if (live !== undefined && Number(live) > 0)
    return (
      <p className="flex items-center gap-3 p-5">
        <Icon name="check" className="text-ok" />
        {text.hasCredits(format.roundMoney(live))}
      </p>
    )
  return (
    <div className="flex flex-col items-start gap-3 p-5">
      <p>{text.credits}</p>
      <PermittedButton
        field="Mutation.startTopUp"
        onClick={() => void navigate({ to: '/billing', search: { add: true } })}
      >
        {text.addCredits}
      </PermittedButton>
    </div>
  )
}

/** The account's first request, or that it has not arrived yet. */
function FirstRequest({ request }: { request: { id: string; status: number } | undefined }) {
  const text = useText(messages)
  const hasFailed = request !== undefined && request.status >= 400
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 p-5">
      {request ? (
        <>
          <Icon name={hasFailed ? 'warning' : 'check'} className={hasFailed ? 'text-warn' : 'text-ok'} />
          <span className={`min-w-0 flex-1 basis-48 font-medium ${hasFailed ? 'text-warn' : 'text-ok'}`}>
            {hasFailed ? text.failed(request.status) : text.arrived}
          </span>
          <Link to="/requests" search={{ request: request.id }} className={buttonClass('secondary')}>
            {text.open}
          </Link>
        </>
      ) : (
        <>
          <span className="size-2.5 animate-pulse rounded-full bg-control motion-reduce:animate-none" />
          <span className="text-muted">{text.waiting}</span>
        </>
      )}
    </div>
  )
}

/** Creates a key, and shows it as long as the page is open. */
function CreateKey({ apiKey, onCreated }: { apiKey: string | undefined; onCreated(key: string): void }) {
  const text = useText(messages)
  const [{ fetching }, createKey] = useMutation(createDocument)
  const [faults, setFaults] = useState<Faults>()
  const create = async () => {
    const { data, error } = await createKey({ input: { name: text.keyName } })
    setFaults(error && faultsOf(error))
    if (data?.createApiKey) onCreated(data.createApiKey.key)
  }
  if (apiKey !== undefined)
    return (
      <div className="flex flex-col gap-3 p-5">
        <p>{text.keep}</p>
        <div className="flex flex-wrap items-center gap-3">
          <code className="min-w-0 font-mono text-sm wrap-anywhere">{apiKey}</code>
          <CopyButton value={apiKey} />
        </div>
      </div>
    )
  return (
    <div className="flex flex-col items-start gap-3 p-5">
      <p>{text.create}</p>
      <FormFault faults={faults} names={noFields} />
      <PermittedButton
        field="Mutation.createApiKey"
        kind="primary"
        icon="plus"
        isBusy={fetching}
        onClick={() => void create()}
      >
        {text.createButton}
      </PermittedButton>
    </div>
  )
}
