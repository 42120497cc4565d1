import { useQuery } from 'urql'
import { useLanguage, useText } from '../../../text/language.ts'
import { Badge, Panel } from '../../../ui/page.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { type Allowance, allowancesDocument } from './documents.ts'
import { messages } from './messages.ts'
import { limitText, resourceText, resourceTexts, windowText } from './resources.ts'

/** The limits of the account. Only the operator changes them. */
export function Allowances() {
  const text = useText(messages)
  const query = useQuery({ query: allowancesDocument })
  const columns = useColumns()
  return (
    <Panel title={text.limits}>
      <p className="px-5 pt-4 text-muted">{text.limitsText}</p>
      <Loaded query={query} select={data => data.me.allowances} lines={6}>
        {allowances => (
          <Table
            caption={text.limits}
            columns={columns}
            rows={allowances}
            keyOf={({ resource }) => resource}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function useColumns(): Column<Allowance>[] {
  const text = useText(messages)
  const language = useLanguage()
  const resources = useText(resourceTexts)
  return [
    {
      id: 'resource',
      header: text.resource,
      cell: ({ resource, isOwn }) => (
        <>
          <span className="block">
            {resourceText(resources, resource)} {isOwn && <Badge>{text.own}</Badge>}
          </span>
          <code className="block font-mono text-xs break-all text-muted">{resource}</code>
        </>
      ),
    },
    {
      id: 'limit',
      header: text.limit,
      align: 'end',
      cell: allowance => (
        <>
          <span className="block whitespace-nowrap">{limitText(allowance, language)}</span>
          <span className="block text-sm text-muted sm:whitespace-nowrap">
            {allowance.windowSeconds === null
              ? text.atOnce
              : text.inWindow(windowText(allowance.windowSeconds, language))}
          </span>
        </>
      ),
    },
  ]
}
