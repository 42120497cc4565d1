import { useFormat, useText } from '../../../text/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Page, Panel } from '../../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { AccountLink } from '../../ui/account-link.tsx'
import type { LedgerDifference } from './documents.ts'
import { messages } from './messages.ts'
import { StuckTopUps } from './stuck-top-ups.tsx'
import { type Comparison, useComparison } from './use-comparison.ts'

export default function BooksPage() {
  const text = useText(messages)
  const { comparison, start, stop } = useComparison()
  const isRunning = comparison?.state === 'running'
  return (
    <Page title={text.title} intro={text.intro}>
      <Panel
        title={text.reconciliation}
        actions={
          isRunning ? (
            <Button icon="stop" onClick={stop}>
              {text.stop}
            </Button>
          ) : (
            <Button kind="primary" onClick={start}>
              {text.compare}
            </Button>
          )
        }
      >
        {comparison ? (
          <Result comparison={comparison} retry={start} />
        ) : (
          <EmptyState icon="billing" title={text.notCompared}>
            {text.notComparedText}
          </EmptyState>
        )}
      </Panel>
      <StuckTopUps />
    </Page>
  )
}

function Result({
  comparison: { state, accounts, differences, error, startedAt },
  retry,
}: {
  comparison: Comparison
  retry(): void
}) {
  const text = useText(messages)
  const format = useFormat()
  const columns: Column<LedgerDifference>[] = [
    {
      id: 'account',
      header: text.account,
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
    },
    {
      id: 'fault',
      header: text.fault,
      cell: ({ fault, subject }) => (
        <>
          {fault}
          {subject !== null && (
            <span className="block font-mono text-xs wrap-anywhere text-muted">{subject}</span>
          )}
        </>
      ),
    },
    { id: 'expected', header: text.expected, align: 'end', cell: row => <Money amount={row.expected} /> },
    {
      id: 'found',
      header: text.found,
      align: 'end',
      cell: row => (
        <>
          <Money amount={row.found} />
          <span className="block text-sm text-muted @md:hidden">{text.found}</span>
        </>
      ),
    },
  ]
  return (
    <>
      <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-4">
        <span
          className={
            differences.length > 0
              ? 'font-semibold text-danger'
              : state === 'done'
                ? 'font-semibold text-ok'
                : ''
          }
        >
          {differences.length > 0
            ? text.differ(format.number(differences.length))
            : state === 'done'
              ? text.equal
              : text.none}
        </span>
        <span className="text-muted">
          {text.states[state](format.number(accounts))} <Time value={startedAt} />
        </span>
      </div>
      {error && <ErrorState error={error} retry={retry} />}
      {differences.length > 0 && (
        <div className="border-t border-line">
          <Table
            caption={text.differences}
            columns={columns}
            rows={differences}
            keyOf={({ accountId, fault, subject }) => `${accountId} ${fault} ${subject}`}
          />
          <p className="border-t border-line px-5 py-3 text-sm text-muted">{text.whatToDo}</p>
        </div>
      )}
    </>
  )
}
