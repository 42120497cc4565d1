import { type Answer, closed, type Exchange, Refusal } from '../../server/exchange.ts'
import { cutAfter, failsAgain } from '../faults.ts'
import { hashText } from '../model/text.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import type { Generation } from './generation.ts'
import { freeBox, makeMp4, makePng, makeSound, soundTypes } from './make-files.ts'

/** Serves generated files without a credential, as a vendor's CDN does. */
export const mediaFiles: VendorApi = {
  routes: {
    'GET /files/:name': (simulator, exchange) =>
      answerWithFile(simulator, exchange, exchange.params.name ?? ''),
  },
}

const extensions = { image: 'png', video: 'mp4' } as const

/** Returns the names of a generation's files. The faults `fewer` and `empty` reduce their number. */
export function filesOf({ id, product, fault }: Generation): string[] {
  const requested = product.kind === 'image' ? product.count : 1
  const count = fault?.name === 'empty' ? 0 : fault?.name === 'fewer' ? (fault.count ?? 1) : requested
  const extension = product.kind === 'sound' ? product.format : extensions[product.kind]
  return Array.from({ length: Math.min(count, requested) }, (_, index) => `${id}-${index}.${extension}`)
}

/** Returns the URL of a file on the host that the client called. */
export function urlOf({ origin }: Exchange, name: string): string {
  return `${origin}/files/${name}`
}

/** Returns a generation's images in base64. */
export function readImages(generation: Generation): string[] {
  return filesOf(generation).map((_, index) =>
    Buffer.concat([...piecesOf(generation, index)]).toString('base64'),
  )
}

/** Returns the answer with a file, changed by its fault. The bytes are produced again for each download. */
export async function answerWithFile(
  simulator: Simulator,
  exchange: Exchange,
  name: string,
): Promise<Answer> {
  const generation = simulator.generations.get(name.replace(/-\d+\.\w+$/, ''))
  const index = generation ? filesOf(generation).indexOf(name) : -1
  if (!generation || index < 0) throw refuseFile(404)
  const { fault, product } = generation
  const isFaulty = fault?.name.startsWith('file') && failsAgain(simulator, name, fault.count ?? 1)
  if (isFaulty && fault?.name === 'file') throw refuseFile(fault.status)
  if (isFaulty && fault?.name === 'file-hang') await closed(exchange)

  const paddingBytes = fault?.name === 'large' ? (fault.count ?? 0) : 0
  const pieces = [...piecesOf(generation, index), ...(paddingBytes > 0 ? [freeBox(paddingBytes)] : [])]
  const totalBytes = pieces.reduce((sum, piece) => sum + piece.length, paddingBytes)
  const type = product.kind === 'sound' ? soundTypes[product.format] : contentTypes[product.kind]
  const headers = { 'content-type': type, 'content-length': totalBytes }
  const cut = isFaulty && fault?.name === 'file-cut' ? pieces[0]?.subarray(0, 32) : undefined
  return { headers, frames: cut ? cutAfter(cut) : padded(pieces, paddingBytes) }
}

const contentTypes = { image: 'image/png', video: 'video/mp4' } as const
const zeros = Buffer.alloc(65_536)

function* padded(pieces: readonly Buffer[], paddingBytes: number): Iterable<Buffer> {
  yield* pieces
  for (let left = paddingBytes; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}

function refuseFile(status: number): Refusal {
  return new Refusal({ status, body: { error: 'File not found.' } })
}

function piecesOf({ product, prompt }: Generation, index: number): Iterable<Buffer> {
  if (product.kind === 'image') return [makePng(product.size, hashText(prompt) + index)]
  if (product.kind === 'video') return [makeMp4(product.size, product.seconds)]
  return makeSound(product.format, product.seconds)
}
