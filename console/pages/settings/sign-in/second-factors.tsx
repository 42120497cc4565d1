import { useState } from 'react'
import { useQuery } from 'urql'
import { useFormat, useText } from '../../../text/language.ts'
import { Button, rowAction } from '../../../ui/button.tsx'
import { Badge, Panel } from '../../../ui/page.tsx'
import { EmptyState, Loaded } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { messages as settingsMessages } from '../frame/messages.ts'
import { AddAppDialog } from './add-app-dialog.tsx'
import { AddPasskeyDialog } from './add-passkey-dialog.tsx'
import { type Factor, factorsContext, factorsDocument, type SignInStatus } from './documents.ts'
import { FactorDialog } from './factor-dialog.tsx'
import { messages } from './messages.ts'
import { RenewCodesDialog } from './recovery-codes.tsx'

type Opened = 'app' | 'passkey' | 'codes' | { factorId: string }

/** The authenticator apps and passkeys of the user, and the recovery codes that replace them. */
export function SecondFactors({ status }: { status: SignInStatus | null | undefined }) {
  const text = useText(messages)
  const query = useQuery({ query: factorsDocument, context: factorsContext })
  const [opened, setOpened] = useState<Opened>()
  const columns = useColumns(factorId => setOpened({ factorId }))
  const close = () => setOpened(undefined)
  const add = (
    <div className="flex flex-wrap justify-center gap-2">
      <Button onClick={() => setOpened('app')}>{text.addApp}</Button>
      <Button onClick={() => setOpened('passkey')}>{text.addPasskey}</Button>
    </div>
  )
  const factors = query[0].data?.secondFactors?.nodes ?? []
  return (
    <Panel title={text.secondFactors} actions={factors.length > 0 && add}>
      {status?.lacksSecondFactor && (
        <p className="border-b border-line bg-warn-soft px-5 py-3 text-warn">{text.required}</p>
      )}
      <Loaded query={query} select={data => data.secondFactors} lines={3}>
        {({ nodes }) =>
          nodes.length === 0 ? (
            <EmptyState icon="key" title={text.noFactors} action={add}>
              {text.noFactorsText}
            </EmptyState>
          ) : (
            <>
              <Table caption={text.secondFactors} columns={columns} rows={nodes} keyOf={({ id }) => id} />
              {status && <RecoveryCodes left={status.recoveryCodesLeft} onRenew={() => setOpened('codes')} />}
            </>
          )
        }
      </Loaded>
      {opened === 'app' && <AddAppDialog onClose={close} />}
      {opened === 'passkey' && <AddPasskeyDialog onClose={close} />}
      {opened === 'codes' && <RenewCodesDialog onClose={close} />}
      {typeof opened === 'object' && (
        <FactorDialog
          factor={factors.find(({ id }) => id === opened.factorId)}
          isLast={factors.length === 1}
          onClose={close}
        />
      )}
    </Panel>
  )
}

function useColumns(open: (id: string) => void): Column<Factor>[] {
  const text = useText(messages)
  const settings = useText(settingsMessages)
  return [
    {
      id: 'name',
      header: settings.name,
      cell: ({ name }) => <span className="font-medium break-words">{name}</span>,
    },
    { id: 'kind', header: text.kind, cell: ({ kind }) => <Badge>{text.kinds[kind]}</Badge> },
    { id: 'added', header: text.added, from: '2xl', cell: ({ createdAt }) => <Time value={createdAt} /> },
    {
      id: 'used',
      header: text.lastUsed,
      from: 'xl',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? settings.never : <Time value={lastUsedAt} />),
    },
    {
      id: 'actions',
      header: settings.actions,
      align: 'end',
      cell: ({ id, name }) => (
        <Button kind="quiet" className={rowAction} aria-label={text.editName(name)} onClick={() => open(id)}>
          {text.edit}
        </Button>
      ),
    },
  ]
}

/** Below this number, the user should create new codes. */
const fewCodes = 3

function RecoveryCodes({ left, onRenew }: { left: number; onRenew(): void }) {
  const text = useText(messages)
  const format = useFormat()
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-5 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{text.recoveryCodes}</span>
          <Badge tone={left < fewCodes ? 'warn' : 'neutral'}>{text.codesLeft(format.number(left))}</Badge>
        </p>
        <p className="text-sm text-muted">{text.recoveryCodesText}</p>
      </div>
      <Button onClick={onRenew}>{text.newCodes}</Button>
    </div>
  )
}
