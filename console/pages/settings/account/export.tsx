import { useState } from 'react'
import { faultText } from '../../../graph/faults.ts'
import { download } from '../../../session/download.ts'
import { useSession } from '../../../session/session.ts'
import { PermittedButton, Refusal } from '../../../shell/permissions.tsx'
import { useText } from '../../../text/language.ts'
import { Panel } from '../../../ui/page.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { PanelBody } from '../frame/settings-page.tsx'
import { messages } from './messages.ts'

/** A part of the export that the fewest roles may read: who may read it may export the account (docs/closing.md). */
const rarestPart = 'Query.invitations'

/** The export of all data. */
export function Export() {
  const text = useText(messages)
  const session = useSession()
  const [isBusy, setIsBusy] = useState(false)
  const run = () => {
    setIsBusy(true)
    download('/account-export', `account-${session?.accountId}.ndjson`)
      .catch(error => notify(faultText(error)))
      .finally(() => setIsBusy(false))
  }
  return (
    <Panel title={text.data}>
      <PanelBody>
        <p>{text.exportText}</p>
        <div className="flex flex-wrap items-center gap-3">
          <PermittedButton field={rarestPart} isBusy={isBusy} onClick={run}>
            {text.export}
          </PermittedButton>
          <span role="status" className="text-muted">
            {isBusy && text.exporting}
          </span>
        </div>
        <Refusal field={rarestPart} />
      </PanelBody>
    </Panel>
  )
}
