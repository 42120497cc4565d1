import { expect, test } from 'vitest'
import { parseBlocks, parseInline } from './parse-markdown.ts'

test('blocks: headings, code, lists, quotes, tables, rules and paragraphs', () => {
  const text = [
    '# A title #',
    'One line',
    'and another.',
    '',
    '```ts',
    'const a = "# no title"',
    '```',
    '- one',
    '  - inner',
    '- two',
    '',
    '3. three',
    '> quoted',
    '---',
    '| a | b |',
    '|---|:-:|',
    '| 1 | 2 | 3 |',
    '| 4 |',
  ].join('\n')
  expect(parseBlocks(text)).toEqual([
    { kind: 'heading', level: 1, text: 'A title' },
    { kind: 'paragraph', text: 'One line\nand another.' },
    { kind: 'code', language: 'ts', text: 'const a = "# no title"' },
    { kind: 'list', isOrdered: false, start: 1, items: ['one\n- inner', 'two'] },
    { kind: 'list', isOrdered: true, start: 3, items: ['three'] },
    { kind: 'quote', text: 'quoted' },
    { kind: 'rule' },
    {
      kind: 'table',
      header: ['a', 'b'],
      rows: [
        ['1', '2'],
        ['4', ''],
      ],
    },
  ])
})

test('code whose fence has not arrived yet is code', () => {
  expect(parseBlocks('```\nfirst\n\n- second')).toEqual([
    { kind: 'code', language: '', text: 'first\n\n- second' },
  ])
})

test('inline marks, and links with safe protocols only', () => {
  expect(parseInline('**b** _i_ `**c**` ~~d~~ snake_case_name [l](https://x.example/a) ')).toEqual([
    { kind: 'strong', text: 'b' },
    { kind: 'text', text: ' ' },
    { kind: 'emphasis', text: 'i' },
    { kind: 'text', text: ' ' },
    { kind: 'code', text: '**c**' },
    { kind: 'text', text: ' ' },
    { kind: 'deleted', text: 'd' },
    { kind: 'text', text: ' snake_case_name ' },
    { kind: 'link', text: 'l', url: 'https://x.example/a' },
    { kind: 'text', text: ' ' },
  ])
  const unsafe = '[l](javascript:alert) [d](data:text/html,x) <img src=x onerror=alert(1)>'
  expect(parseInline(unsafe)).toEqual([{ kind: 'text', text: unsafe }])
  expect(parseInline('![chart](https://x.example/a.png)')).toEqual([
    { kind: 'link', text: 'chart', url: 'https://x.example/a.png' },
  ])
})

test.each(['*', '_', '`', '[', '~~', '**', '> ', '- ', '|-', '#', '![a](', '```'])(
  'a text of %s only takes time in proportion to its length',
  mark => {
    const msToRead = (text: string) => {
      const begun = performance.now()
      for (const block of parseBlocks(text)) if ('text' in block) parseInline(block.text)
      return performance.now() - begun
    }
    const line = mark.repeat(20_000)
    msToRead(line) // compiles
    expect(msToRead(line)).toBeLessThan(1_000)
    expect(msToRead(`${mark}\n`.repeat(20_000))).toBeLessThan(1_000)
  },
)
