import { Fragment, memo, type ReactNode } from 'react'
import { useText } from '../../text/language.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { messages } from './messages.ts'
import { type Block, maxDepth, parseBlocks, parseInline } from './parse-markdown.ts'

/** Markdown of a model as elements, never as HTML. While a text grows, only its last block is rendered again. */
export function Markdown({ text, depth = 0 }: { text: string; depth?: number }) {
  if (depth > maxDepth) return <p className="whitespace-pre-wrap">{text}</p>
  return (
    <div className="flex min-w-0 flex-col gap-3 break-words">
      {parseBlocks(text).map((block, index) => (
        <ShownBlock key={`${index.toString()} ${block.kind}`} source={JSON.stringify(block)} depth={depth} />
      ))}
    </div>
  )
}

/** A block by its source, which is equal as long as its text is. */
const ShownBlock = memo(BlockOfSource)

function BlockOfSource({ source, depth }: { source: string; depth: number }) {
  const text = useText(messages)
  return elementOf(JSON.parse(source) as Block, { depth, code: text.code, table: text.table })
}

interface Around {
  depth: number
  code: string
  table: string
}

const sizes = ['text-xl', 'text-lg', 'text-lg', 'text-base', 'text-base', 'text-base'] as const

function elementOf(block: Block, around: Around): ReactNode {
  switch (block.kind) {
    case 'rule':
      return <hr className="border-line" />
    case 'heading':
      // The headings of an answer are no headings of the page.
      return (
        <p className={`font-semibold ${sizes[block.level - 1]}`}>
          <InlineText text={block.text} />
        </p>
      )
    case 'code':
      return <CodeBlock code={block.text} label={block.language || around.code} />
    case 'quote':
      return (
        <blockquote className="border-l-2 border-line pl-3 text-muted">
          <Markdown text={block.text} depth={around.depth + 1} />
        </blockquote>
      )
    case 'list':
      return <List block={block} depth={around.depth} />
    case 'table':
      return <TableBlock block={block} label={around.table} />
    default:
      return (
        <p className="whitespace-pre-wrap">
          <InlineText text={block.text} />
        </p>
      )
  }
}

function List({ block, depth }: { block: Extract<Block, { kind: 'list' }>; depth: number }) {
  const items = block.items.map((item, index) => (
    <li key={`${index.toString()} item`}>
      <Markdown text={item} depth={depth + 1} />
    </li>
  ))
  return block.isOrdered ? (
    <ol start={block.start} className="flex list-decimal flex-col gap-1 pl-6">
      {items}
    </ol>
  ) : (
    <ul className="flex list-disc flex-col gap-1 pl-5">{items}</ul>
  )
}

function TableBlock({ block, label }: { block: Extract<Block, { kind: 'table' }>; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={label} className="overflow-x-auto">
      <table className="border-collapse">
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              <th
                key={`${column.toString()} ${cell}`}
                scope="col"
                className="border border-line px-2 py-1 text-left font-semibold"
              >
                <InlineText text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={`${index.toString()} ${row[0]}`}>
              {row.map((cell, column) => (
                <td key={`${column.toString()} ${cell}`} className="border border-line px-2 py-1">
                  <InlineText text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function InlineText({ text }: { text: string }) {
  return (
    <>
      {parseInline(text).map((part, index) => {
        const key = `${index.toString()} ${part.kind}`
        if (part.kind === 'code')
          return (
            <code key={key} className="rounded-sm bg-hover px-1 font-mono text-sm">
              {part.text}
            </code>
          )
        if (part.kind === 'strong') return <strong key={key}>{part.text}</strong>
        if (part.kind === 'emphasis') return <em key={key}>{part.text}</em>
        if (part.kind === 'deleted') return <del key={key}>{part.text}</del>
        if (part.kind === 'link')
          return (
            <a
              key={key}
              href={part.url}
              target="_blank"
              rel="noopener noreferrer"
              className="text-accent underline"
            >
              {part.text}
            </a>
          )
        return <Fragment key={key}>{part.text}</Fragment>
      })}
    </>
  )
}
