/** A block of Markdown. Its texts still contain inline marks. */
export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; text: string }
  | { kind: 'list'; isOrdered: boolean; start: number; items: string[] }
  | { kind: 'table'; header: string[]; rows: string[][] }
  | { kind: 'rule' }

/** Maximum number of levels of quotes and lists. Deeper ones are shown as text. */
export const maxDepth = 6

const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/
const heading = /^(#{1,6})\s+(.*)$/
const rule = /^ {0,3}(-{3,}|\*{3,}|_{3,})\s*$/
const quote = /^ {0,3}> ?/
const item = /^( {0,3})([-*+]|\d{1,9}[.)])\s+/
const delimiter = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/** Splits Markdown into blocks, in time linear in its length. Every text is some Markdown: nothing is refused. */
export function parseBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    if (lines[at]?.trim() === '') {
      at += 1
      continue
    }
    const [block, next] = blockAt(lines, at)
    blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number): [block: Block, next: number] {
  const line = lines[at] ?? ''
  const opened = fence.exec(line)
  if (opened) return codeAt(lines, at, opened)
  const [, marks, title] = heading.exec(line) ?? []
  if (marks)
    return [{ kind: 'heading', level: marks.length, text: title?.replace(/\s+#+\s*$/, '') ?? '' }, at + 1]
  if (rule.test(line)) return [{ kind: 'rule' }, at + 1]
  if (quote.test(line)) return quoteAt(lines, at)
  if (item.test(line)) return listAt(lines, at)
  if (line.includes('|') && delimiter.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('-'))
    return tableAt(lines, at)
  return paragraphAt(lines, at)
}

/** A block of code ends at its fence, or, while the answer is being streamed, at the end. */
function codeAt(
  lines: readonly string[],
  at: number,
  [, mark = '', language = '']: RegExpExecArray,
): [Block, number] {
  let end = at + 1
  while (end < lines.length && !closes(lines[end] ?? '', mark)) end += 1
  const text = lines.slice(at + 1, end).join('\n')
  return [{ kind: 'code', language: language.trim(), text }, end + 1]
}

function closes(line: string, mark: string): boolean {
  const text = line.trim()
  return text.length >= mark.length && text === mark.charAt(0).repeat(text.length)
}

function quoteAt(lines: readonly string[], at: number): [Block, number] {
  let end = at
  while (end < lines.length && quote.test(lines[end] ?? '')) end += 1
  const text = lines.slice(at, end).map(line => line.replace(quote, ''))
  return [{ kind: 'quote', text: text.join('\n') }, end]
}

/** The items of a list. Indented lines belong to the item before them. */
function listAt(lines: readonly string[], at: number): [Block, number] {
  const [, indent = '', mark = ''] = item.exec(lines[at] ?? '') ?? []
  const isOrdered = /\d/.test(mark)
  const isSibling = (line: string) => {
    const [, before = '', own] = item.exec(line) ?? []
    return own !== undefined && /\d/.test(own) === isOrdered && before.length < indent.length + 2
  }
  const items: string[][] = []
  let end = at
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    if (isSibling(line)) items.push([line.replace(item, '')])
    else if (indented.test(line)) items.at(-1)?.push(line.replace(/^(\t| {1,2})/, ''))
    else if (!isGap(lines, end)) break
    else if (indented.test(lines[end + 1] ?? '')) items.at(-1)?.push('')
  }
  const start = isOrdered ? Number.parseInt(mark, 10) : 1
  return [{ kind: 'list', isOrdered, start, items: items.map(text => text.join('\n')) }, end]
}

const indented = /^(\s{2,}|\t)\S/

/** Whether an empty line lies within a list: more of it follows. */
function isGap(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? ''
  return lines[at]?.trim() === '' && (indented.test(next) || item.test(next))
}

function tableAt(lines: readonly string[], at: number): [Block, number] {
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1
  const header = cellsOf(lines[at] ?? '')
  const rows = lines.slice(at + 2, end).map(line => {
    const cells = cellsOf(line)
    return header.map((_, column) => cells[column] ?? '')
  })
  return [{ kind: 'table', header, rows }, end]
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .map(cell => cell.trim())
}

function paragraphAt(lines: readonly string[], at: number): [Block, number] {
  let end = at + 1
  while (end < lines.length && continues(lines[end] ?? '')) end += 1
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n') }, end]
}

function continues(line: string): boolean {
  return line.trim() !== '' && ![fence, heading, rule, quote, item].some(begins => begins.test(line))
}

/** A part of a line. */
export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis' | 'deleted'; text: string }
  | { kind: 'link'; text: string; url: string }

const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|~~([^~\n]+)~~|\*([^*\s][^*\n]*)\*|(?<!\w)_([^_\s][^_\n]*)_(?!\w)|!?\[([^\]\n]{1,500})\]\(([^()\s]{1,2000})(?:\s[^()\n]{0,200})?\)/g

/**
 * Splits a text into its inline parts. Links to other protocols than HTTP and e-mail stay text, and images are links:
 * the console loads nothing from other hosts.
 */
export function parseInline(text: string): Inline[] {
  const parts: Inline[] = []
  let end = 0
  for (const match of text.matchAll(inline)) {
    const part = partOf(match)
    if (!part) continue
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) })
    parts.push(part)
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

function partOf([, code, bold, underlined, deleted, starred, scored, label, url]: RegExpExecArray):
  | Inline
  | undefined {
  if (code !== undefined) return { kind: 'code', text: code }
  const strong = bold ?? underlined
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (deleted !== undefined) return { kind: 'deleted', text: deleted }
  const emphasis = starred ?? scored
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis }
  if (label === undefined || url === undefined || !/^(https?:\/\/|mailto:)/i.test(url)) return undefined
  return { kind: 'link', text: label, url }
}
