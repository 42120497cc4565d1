import { useQuery } from 'urql'
import { AllowanceTable } from '../../../allowances/allowance-table.tsx'
import { useText } from '../../../text/language.ts'
import { Panel, PanelIntro } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { allowancesDocument } from './documents.ts'
import { messages } from './messages.ts'

/** The limits of the account. Only the operator changes them. */
export function Allowances() {
  const text = useText(messages)
  const query = useQuery({ query: allowancesDocument })
  return (
    <Panel title={text.limits}>
      <PanelIntro>{text.limitsText}</PanelIntro>
      <Loaded query={query} select={data => data.me.allowances} lines={6}>
        {allowances => <AllowanceTable caption={text.limits} allowances={allowances} />}
      </Loaded>
    </Panel>
  )
}
