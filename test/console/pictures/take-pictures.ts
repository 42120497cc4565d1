import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { DevFile } from '../../../dev/home.ts'
import { accountPages, operatorPages, publicPages, servicePages } from '../pages.ts'
import type { DemoBrowser } from './open-browser.ts'
import { type Picture, pictures } from './pictures.ts'
import { savePicture } from './save-picture.ts'

/** Where the pictures of the documentation are. */
const pictureFolder = join(import.meta.dirname, '../../../docs/pictures')

/** Widths of a phone, of a tablet, and of a large window. */
const widths = [360, 768, 1440]

interface Taken {
  /** The running system. */
  dev: DevFile
  /** Only pictures whose name or address contains this text are taken. */
  only: string
}

/** Takes the pictures of docs/console.md. */
export async function takePictures({ page }: DemoBrowser, { dev, only }: Taken): Promise<void> {
  for (const picture of pictures.filter(({ name, path }) => `${name} ${path}`.includes(only))) {
    await page.setViewportSize(picture)
    await page.emulateMedia({ colorScheme: picture.theme })
    await open(page, dev, picture)
    const report = await savePicture(page, join(pictureFolder, `${picture.name}.webp`))
    process.stdout.write(`${picture.name}: ${report}\n`)
  }
}

/** Writes every page, and every picture, at three widths, light and dark, as PNG files. */
export async function takeAll(
  { page, stranger }: DemoBrowser,
  { dev, only, folder }: Taken & { folder: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const nameOf = (path: string) => path.replaceAll(/\W+/g, '-').replace(/^-/, '')
  const views = [
    ...accountPages.map(path => ({ visitor: page, path, name: nameOf(path) })),
    ...[...publicPages, ...servicePages, ...operatorPages].map(path => ({
      visitor: stranger,
      path,
      name: nameOf(path),
    })),
    ...pictures.map(picture => ({ visitor: page, ...picture })),
  ]
  for (const { visitor, ...view } of views.filter(({ name, path }) => `${name} ${path}`.includes(only))) {
    await visitor.setViewportSize({ width: 1440, height: 900 })
    await open(visitor, dev, view)
    for (const width of widths)
      for (const colorScheme of ['light', 'dark'] as const) {
        await visitor.setViewportSize({ width, height: 900 })
        await visitor.emulateMedia({ colorScheme })
        await visitor.waitForLoadState('networkidle')
        const picture = await visitor.screenshot({ fullPage: true })
        writeFileSync(join(folder, `${view.name}-${width}-${colorScheme}.png`), picture)
      }
  }
}

/** Opens a page, on the operator's pages with the operator's key. */
async function open(
  page: Page,
  dev: DevFile,
  { path, prepare }: Pick<Picture, 'path' | 'prepare'>,
): Promise<void> {
  await page.goto(dev.base_url + path)
  if (path.startsWith('/console/operator')) {
    await page.getByLabel('Operator key').fill(dev.operator_key)
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor()
  }
  await page.getByRole('heading').first().waitFor()
  await untilLoaded(page)
  await prepare?.(page)
  await untilLoaded(page)
}

/** Waits until nothing is being loaded, and no placeholder is left. */
async function untilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
}
