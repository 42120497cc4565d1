import { useEffect, useState } from 'react'
import { useClient, useMutation, useQuery } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { useRepeatedRead } from '../../graph/use-repeated-read.ts'
import { PermittedButton, Refusal, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { FormFault, TextField } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { textOf, useForm } from '../../ui/use-form.ts'
import {
  alertsContext,
  deliveriesDocument,
  deliveryDocument,
  testWebhookDocument,
  updateSettingsDocument,
  webhookDocument,
} from './documents.ts'
import { messages } from './messages.ts'

const fieldNames = ['webhookUrl']

/** The address to which alerts are sent. It can contain a secret, so only members who handle money see it. */
export function Webhook() {
  const text = useText(messages)
  const isHidden = useRefusal()('Account.alertSettings') !== undefined
  const query = useQuery({ query: webhookDocument, pause: isHidden, context: alertsContext })
  return (
    <div className="flex flex-col gap-4 p-5">
      <p className="max-w-2xl text-muted">{text.webhookText}</p>
      {isHidden ? (
        <Refusal field="Account.alertSettings" />
      ) : (
        <Loaded query={query} select={data => data.me.alertSettings} lines={2}>
          {({ webhookUrl }) => <WebhookForm key={webhookUrl} url={webhookUrl} />}
        </Loaded>
      )}
    </div>
  )
}

function WebhookForm({ url }: { url: string | null }) {
  const text = useText(messages)
  const [, update] = useMutation(updateSettingsDocument)
  const { faults, isBusy, formProps } = useForm(async fields => {
    const { data, error } = await update(
      { input: { webhookUrl: textOf(fields, 'webhookUrl') } },
      alertsContext,
    )
    if (!data?.updateAlertSettings) throw error
    notify(text.saved)
  })
  return (
    <form {...formProps} className="flex max-w-2xl flex-col gap-4">
      <FormFault faults={faults} names={fieldNames} />
      <TextField
        label={text.url}
        hint={text.urlHint}
        name="webhookUrl"
        type="url"
        autoComplete="off"
        maxLength={2048}
        defaultValue={url ?? ''}
        faults={faults}
      />
      <div className="flex flex-wrap gap-2">
        <PermittedButton field="Mutation.updateAlertSettings" type="submit" kind="primary" isBusy={isBusy}>
          {text.save}
        </PermittedButton>
        {url !== null && <TestWebhook />}
      </div>
    </form>
  )
}

/** Interval at which the outcome of a test is read, in milliseconds. No subscription reports deliveries. */
const intervalMs = 1_000

/** Sends a test, and says what the receiver answered. */
function TestWebhook() {
  const text = useText(messages)
  const [{ fetching }, test] = useMutation(testWebhookDocument)
  const [id, setId] = useState<string>()
  const [refusal, setRefusal] = useState<string>()
  const [{ data }, read] = useQuery({
    query: deliveryDocument,
    variables: { id: id ?? '' },
    pause: id === undefined,
    requestPolicy: 'network-only',
  })
  const delivery = data?.callbackDelivery?.id === id ? data?.callbackDelivery : undefined
  const ended = delivery?.tries?.filter(({ status, error }) => status !== null || error !== null) ?? []
  const first = ended[0]
  const isWaiting = id !== undefined && first === undefined
  useRepeatedRead(read, { intervalMs, isNeeded: isWaiting })
  const client = useClient()
  const hasEnded = first !== undefined
  useEffect(() => {
    // The list of sent webhooks shows the outcome too.
    if (hasEnded) void client.query(deliveriesDocument, {}, { requestPolicy: 'network-only' }).toPromise()
  }, [hasEnded, client])
  const run = async () => {
    setId(undefined)
    const { data: answer, error } = await test({}, alertsContext)
    setRefusal(error && faultText(error))
    setId(answer?.testAlertWebhook?.callbackDelivery?.id)
  }
  const outcome = () => {
    if (refusal !== undefined) return refusal
    if (id === undefined) return undefined
    if (!first) return text.testing
    if (delivery?.state === 'DELIVERED') return text.testOk(String(first.status))
    return text.testFailed(first.error ?? first.status?.toString() ?? text.noAnswer)
  }
  return (
    <>
      <PermittedButton
        field="Mutation.testAlertWebhook"
        icon="external"
        isBusy={fetching || isWaiting}
        onClick={() => void run()}
      >
        {text.test}
      </PermittedButton>
      <p
        role="status"
        className={`basis-full text-sm break-words empty:hidden ${delivery?.state === 'DELIVERED' ? 'text-ok' : 'text-muted'}`}
      >
        {outcome()}
      </p>
    </>
  )
}
