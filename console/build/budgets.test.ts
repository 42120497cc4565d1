import { expect, test } from 'vitest'
import { maxFirstBytes, measurePages, type Script } from './budgets.ts'

const text = (size: number) => Array.from({ length: size }, () => Math.random().toString(36)).join('')

const script = (name: string, imports: string[], dynamicImports: string[], entry?: string): Script => ({
  name,
  entry,
  code: text(40),
  imports,
  dynamicImports,
})

const scripts = [
  script('main', ['shared'], ['log-in', 'routes', 'dialog', 'operator'], 'main.tsx'),
  script('shared', [], []),
  script('log-in', ['shared'], ['second-step'], 'pages/log-in/page.tsx'),
  script('second-step', [], []),
  script('dialog', [], []),
  script('routes', ['searches'], ['keys'], 'pages/routes.ts'),
  script('searches', [], []),
  script('keys', ['shared', 'searches', 'table'], ['editor'], 'pages/keys/page.tsx'),
  script('table', [], []),
  script('editor', [], []),
  script('operator', ['shared', 'frame'], ['accounts'], 'operator/router.ts'),
  script('frame', [], []),
  script('accounts', ['frame', 'table'], [], 'operator/pages/accounts/page.tsx'),
]

test('the first load has the style sheet and the log-in page, but no routes of other pages and no dialogs', () => {
  const sizeOf = (names: string[], styles = new Map<string, string>()) => {
    const kept = scripts.filter(({ name }) => names.includes(name))
    return measurePages(kept, styles).find(({ page }) => page === 'log-in and overview')?.bytes
  }
  const all = scripts.map(({ name }) => name)
  const first = measurePages(scripts, new Map()).find(({ maxBytes }) => maxBytes === maxFirstBytes)
  expect(first?.bytes).toBe(sizeOf(['main', 'shared', 'log-in']))
  expect(sizeOf(all, new Map([['style', text(40)]]))).toBeGreaterThan(first?.bytes ?? 0)
})

test('a page has what it adds to the shell and the routes, and what it loads later', () => {
  const [keys] = measurePages(scripts, new Map()).filter(({ page }) => page === 'keys')
  const [alone] = measurePages(
    scripts.filter(({ name }) => ['keys', 'table', 'editor'].includes(name)),
    new Map(),
  ).filter(({ page }) => page === 'keys')
  expect(keys?.bytes).toBe(alone?.bytes)
})

test("an operator's page has what it adds to the frame of operators, which is measured by itself", () => {
  const bytesOf = (page: string, names?: string[]) => {
    const kept = scripts.filter(({ name }) => names?.includes(name) ?? true)
    return measurePages(kept, new Map()).find(size => size.page === page)?.bytes
  }
  expect(bytesOf('frame of operators')).toBe(bytesOf('frame of operators', ['operator', 'frame']))
  expect(bytesOf('operator/accounts')).toBe(bytesOf('operator/accounts', ['accounts', 'table']))
})
