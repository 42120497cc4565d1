import { type Answer, closed, type Exchange, Refusal } from '../../server/exchange.ts'
import { cutAfter, type Fault } from '../faults.ts'
import { hashText } from '../model/text.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import type { Generation, Product } from './generation.ts'
import { freeBox, makeMp4, makePng, makeSound, soundTypes } from './make-files.ts'

/** A generated file. Its bytes are produced again for each download. */
export interface GeneratedFile {
  readonly product: Product
  /** Determines the colours. */
  readonly seed: number
  readonly fault: Fault | undefined
  failedDownloads: number
}

/** Serves generated files without a credential, as a vendor's CDN does. */
export const mediaFiles: VendorApi = {
  routes: [
    {
      method: 'GET',
      path: '/files/:name',
      handle: (simulator, exchange) => answerWithFile(simulator, exchange, exchange.params.name ?? ''),
    },
  ],
}

function refuseFile(status: number): Refusal {
  return new Refusal({ status, body: { error: 'File not found.' } })
}

const maxFiles = 100_000
const extensions = { image: 'png', video: 'mp4' } as const

/** Returns the names of a generation's files. The faults `fewer` and `empty` reduce their number. */
export function filesOf({ files }: Simulator, generation: Generation): string[] {
  const { id, product, prompt, fault } = generation
  if (generation.files) return generation.files
  const requested = product.kind === 'image' ? product.count : 1
  const count = fault?.name === 'empty' ? 0 : fault?.name === 'fewer' ? (fault.count ?? 1) : requested
  const extension = product.kind === 'sound' ? product.format : extensions[product.kind]
  generation.files = Array.from({ length: Math.min(count, requested) }, (_, index) => {
    const name = `${id}-${index}.${extension}`
    if (files.size >= maxFiles) files.delete(files.keys().next().value ?? '')
    files.set(name, { product, seed: hashText(prompt) + index, fault, failedDownloads: 0 })
    return name
  })
  return generation.files
}

/** Returns the URL of a file on the host that the client called. */
export function urlOf({ origin }: Exchange, name: string): string {
  return `${origin}/files/${name}`
}

/** Returns a generation's images, whose bytes are produced on demand. */
export function readImages(simulator: Simulator, generation: Generation) {
  return filesOf(simulator, generation).flatMap(name => {
    const file = simulator.files.get(name)
    return file ? [{ name, base64: () => Buffer.concat([...piecesOf(file)]).toString('base64') }] : []
  })
}

/** Returns the answer with a file, changed by its fault. */
export async function answerWithFile(
  simulator: Simulator,
  exchange: Exchange,
  name: string,
): Promise<Answer> {
  const file = simulator.files.get(name)
  if (!file) throw refuseFile(404)
  const { fault, product } = file
  const isFaulty = file.failedDownloads < (fault?.count ?? 1)
  if (isFaulty) file.failedDownloads++
  if (isFaulty && fault?.name === 'file') throw refuseFile(fault.status)
  if (isFaulty && fault?.name === 'file-hang') await closed(exchange)

  const paddingBytes = fault?.name === 'large' ? (fault.count ?? 0) : 0
  const pieces = [...piecesOf(file), ...(paddingBytes > 0 ? [freeBox(paddingBytes)] : [])]
  const totalBytes = pieces.reduce((sum, piece) => sum + piece.length, paddingBytes)
  const type = product.kind === 'sound' ? soundTypes[product.format] : contentTypes[product.kind]
  const headers = { 'content-type': type, 'content-length': totalBytes }
  const isCut = isFaulty && fault?.name === 'file-cut' && pieces[0]
  return { headers, frames: isCut ? cutAfter(isCut.subarray(0, 32)) : padded(pieces, paddingBytes) }
}

const contentTypes = { image: 'image/png', video: 'video/mp4' } as const
const zeros = Buffer.alloc(65_536)

function* padded(pieces: readonly Buffer[], paddingBytes: number): Iterable<Buffer> {
  yield* pieces
  for (let left = paddingBytes; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}

function piecesOf({ product, seed }: GeneratedFile): Iterable<Buffer> {
  if (product.kind === 'image') return [makePng(product.size, seed)]
  if (product.kind === 'video') return [makeMp4(product.size, product.seconds)]
  return makeSound(product.format, product.seconds)
}
