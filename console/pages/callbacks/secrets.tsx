import { useState } from 'react'
import { useClient, useMutation, useQuery } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton, Refusal, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Time } from '../../ui/values.tsx'
import { rotateDocument, secretsDocument, secretTextDocument } from './documents.ts'
import { messages } from './messages.ts'

const defaultOverlapHours = '24'

/** The secrets that sign callbacks. The page has the text of one only while a dialog shows it. */
export function Secrets() {
  const text = useText(messages)
  const isRefused = useRefusal()('Query.callbackSecrets') !== undefined
  const query = useQuery({ query: secretsDocument, pause: isRefused })
  const [, read] = query
  const [shown, setShown] = useState<{ secret: string; isNew: boolean }>()
  const [isRotating, setIsRotating] = useState(false)
  return (
    <Panel
      title={text.secrets}
      actions={
        <span className="flex gap-2">
          <ShowSecret onRead={secret => setShown({ secret, isNew: false })} />
          <PermittedButton field="Mutation.rotateCallbackSecret" onClick={() => setIsRotating(true)}>
            {text.rotate}
          </PermittedButton>
        </span>
      }
    >
      {isRefused ? (
        <div className="px-5 py-3">
          <Refusal field="Query.callbackSecrets" />
        </div>
      ) : (
        <Loaded query={query} select={data => data.callbackSecrets} lines={1}>
          {secrets => (
            <ul className="flex flex-col divide-y divide-line">
              {secrets.map(({ createdAt, endsAt }) => (
                <li key={createdAt} className="flex flex-wrap gap-x-3 px-5 py-3">
                  <span className="font-medium">{endsAt === null ? text.current : text.previous}</span>
                  <span className="text-muted">
                    {text.since} <Time value={createdAt} />
                    {endsAt !== null && (
                      <>
                        , {text.until} <Time value={endsAt} />
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
      {isRotating && (
        <Rotate
          onClose={() => setIsRotating(false)}
          onRotated={secret => {
            setIsRotating(false)
            setShown({ secret, isNew: true })
            read({ requestPolicy: 'network-only' })
          }}
        />
      )}
      {shown && (
        <Dialog title={shown.isNew ? text.rotated : text.showTitle} onClose={() => setShown(undefined)}>
          <div className="flex flex-col gap-4">
            <p>{shown.isNew ? text.keep : text.showText}</p>
            <CodeBlock label="CALLBACK_SECRET" code={shown.secret} />
          </div>
          <DialogActions>
            <Button kind="primary" onClick={() => setShown(undefined)}>
              {text.done}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Panel>
  )
}

/** Reads the current secret without a cache. */
function ShowSecret({ onRead }: { onRead(secret: string): void }) {
  const text = useText(messages)
  const client = useClient()
  const read = async () => {
    const context = { requestPolicy: 'network-only' } as const
    const { data, error } = await client.query(secretTextDocument, {}, context).toPromise()
    const current = data?.callbackSecrets?.find(({ endsAt }) => endsAt === null)
    if (current) onRead(current.secret)
    else notify(faultText(error))
  }
  return (
    <PermittedButton field="Query.callbackSecrets" onClick={() => void read()}>
      {text.show}
    </PermittedButton>
  )
}

function Rotate({ onClose, onRotated }: { onClose(): void; onRotated(secret: string): void }) {
  const text = useText(messages)
  const [hours, setHours] = useState(defaultOverlapHours)
  const [, rotate] = useMutation(rotateDocument)
  const run = async () => {
    const { data, error } = await rotate({ input: { overlapHours: Number(hours) } })
    const [newest] = data?.rotateCallbackSecret?.callbackSecrets ?? []
    if (!newest) throw error
    onRotated(newest.secret)
  }
  return (
    <ConfirmDialog title={text.rotateTitle} action={text.rotate} run={run} onClose={onClose}>
      <p>{text.rotateText}</p>
      <TextField
        label={text.overlap}
        hint={text.overlapHint}
        name="overlapHours"
        type="number"
        min={0}
        max={168}
        required
        value={hours}
        onChange={event => setHours(event.target.value)}
      />
    </ConfirmDialog>
  )
}
