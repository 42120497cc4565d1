import { useState } from 'react'
import { useMutation, useQuery } from 'urql'
import { faultText } from '../../graph/faults.ts'
import { PermittedButton, useRefusal } from '../../shell/permissions.tsx'
import { useText } from '../../text/language.ts'
import { ConfirmDialog } from '../../ui/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/states.tsx'
import { notify } from '../../ui/toasts.tsx'
import { cardDocument, removeSavedCardDocument, type SavedCard, startCardSetupDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The card that automatic top-ups charge. Members who do not handle money do not see it. */
export function Card() {
  const text = useText(messages)
  const isHidden = useRefusal()('Account.savedCard') !== undefined
  const query = useQuery({
    query: cardDocument,
    pause: isHidden,
    context: cardContext,
  })
  const [isRemoving, setIsRemoving] = useState(false)
  if (isHidden) return null
  return (
    <Loaded query={query} select={data => data.me} lines={1}>
      {({ savedCard }) => (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border border-line px-4 py-3">
          <Icon name="billing" className="text-muted" />
          <div className="min-w-0 flex-1 basis-40">
            {savedCard ? <CardNumber card={savedCard} /> : text.noCard}
          </div>
          {savedCard && (
            <PermittedButton
              field="Mutation.removeSavedCard"
              kind="quiet"
              onClick={() => setIsRemoving(true)}
            >
              {text.removeCard}
            </PermittedButton>
          )}
          <SetUp label={savedCard ? text.replaceCard : text.addCard} />
          {isRemoving && <RemoveCard onClose={() => setIsRemoving(false)} />}
        </div>
      )}
    </Loaded>
  )
}

/** Removing a card returns no account, but changes it. */
const cardContext = { additionalTypenames: ['Account'] }

function CardNumber({ card: { brand, last4, expiryMonth, expiryYear } }: { card: SavedCard }) {
  const text = useText(messages)
  const expiry = `${String(expiryMonth).padStart(2, '0')}/${expiryYear}`
  return (
    <>
      <span className="block font-medium capitalize">
        {brand} •••• {last4}
      </span>
      <span className="block text-sm text-muted">{text.expires(expiry)}</span>
    </>
  )
}

/** Leads to the payment processor's page that saves a card. */
function SetUp({ label }: { label: string }) {
  const [{ fetching }, startSetup] = useMutation(startCardSetupDocument)
  const start = async () => {
    const { data, error } = await startSetup({})
    if (data?.startCardSetup) location.assign(data.startCardSetup.url)
    else notify(faultText(error))
  }
  return (
    <PermittedButton field="Mutation.startCardSetup" isBusy={fetching} onClick={() => void start()}>
      {label}
    </PermittedButton>
  )
}

function RemoveCard({ onClose }: { onClose(): void }) {
  const text = useText(messages)
  const [, removeCard] = useMutation(removeSavedCardDocument)
  const run = async () => {
    const { data, error } = await removeCard({}, cardContext)
    if (!data?.removeSavedCard) throw error
    notify(text.removed)
    onClose()
  }
  return (
    <ConfirmDialog title={text.removeTitle} action={text.removeCard} run={run} onClose={onClose}>
      <p>{text.removeText}</p>
    </ConfirmDialog>
  )
}
