import { closed, drained, type Exchange, Refusal } from '../../server/exchange.ts'
import { hashText } from '../model/text.ts'
import type { Simulator, VendorApi } from '../simulator.ts'
import type { Generation, MadeFile, Product } from './generation.ts'
import { freeBox, makeMp4 } from './make-mp4.ts'
import { makePng } from './make-png.ts'
import { makeSound, soundTypes } from './make-sound.ts'

/** Generated files at addresses that need no credential, as a vendor's CDN has them. */
export const mediaFiles: VendorApi = {
  prefix: '/files/',
  routes: [
    {
      method: 'GET',
      path: /^\/files\/(?<name>[\w.-]+)$/,
      handle: (simulator, exchange) => sendFile(simulator, exchange, exchange.params.name ?? ''),
    },
  ],
  presentHeaders: () => ({}),
  refuseUnknown: () => refuseFile(404),
  refuseTooLarge: () => refuseFile(413),
}

function refuseFile(status: number): Refusal {
  return new Refusal({ status, body: { error: 'There is no such file.' } })
}

const maxFiles = 100_000
const endings = { image: 'png', video: 'mp4', sound: '' } as const

/** The names of a generation's files; the fault `fewer` leaves some out, `empty` all. */
export function filesOf({ files }: Simulator, generation: Generation): string[] {
  const { id, product, prompt, fault } = generation
  if (generation.files) return generation.files
  const wanted = product.kind === 'image' ? product.count : 1
  const count = fault?.name === 'empty' ? 0 : fault?.name === 'fewer' ? (fault.count ?? 1) : wanted
  const ending = product.kind === 'sound' ? product.format : endings[product.kind]
  generation.files = Array.from({ length: Math.min(count, wanted) }, (_, index) => {
    const name = `${id}-${index}.${ending}`
    if (files.size >= maxFiles) files.delete(files.keys().next().value ?? '')
    files.set(name, { name, product, seed: hashText(prompt) + index, fault, failedDownloads: 0 })
    return name
  })
  return generation.files
}

/** The address of a file, as the client reached the simulator. */
export function addressOf({ request }: Exchange, name: string): string {
  return `http://${request.headers.host}/files/${name}`
}

/** The whole file. */
export function readFile(file: MadeFile): Buffer {
  return Buffer.concat([...piecesOf(file.product, file.seed)])
}

/** Sends a file piece by piece, no faster than the client reads, changed as its fault requests. */
export async function sendFile(simulator: Simulator, exchange: Exchange, name: string): Promise<void> {
  const file = simulator.files.get(name)
  if (!file) throw refuseFile(404)
  const { fault } = file
  const { response, call } = exchange
  const isFaulty = file.failedDownloads < (fault?.count ?? 1)
  if (isFaulty) file.failedDownloads++
  if (isFaulty && fault?.name === 'file') throw refuseFile(fault.status)
  if (isFaulty && fault?.name === 'file-hang') return closed(response)

  const padding = fault?.name === 'large' ? (fault.count ?? 0) : 0
  const pieces = [...piecesOf(file.product, file.seed)]
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const total = length + (padding > 0 ? padding + 16 : 0)
  response.writeHead(200, { 'content-type': contentTypeOf(file.product), 'content-length': total })
  if (isFaulty && fault?.name === 'file-cut') {
    if (call) call.cut = true
    response.write(pieces[0]?.subarray(0, 32))
    response.socket?.destroySoon()
    return
  }
  for (const piece of withPadding(pieces, padding)) {
    if (response.destroyed) return
    if (!response.write(piece)) await drained(response)
  }
  response.end()
}

function* withPadding(pieces: readonly Buffer[], padding: number): Iterable<Buffer> {
  yield* pieces
  if (padding === 0) return
  yield freeBox(padding)
  for (let left = padding; left > 0; left -= zeros.length)
    yield zeros.subarray(0, Math.min(left, zeros.length))
}

const zeros = Buffer.alloc(65_536)

function piecesOf(product: Product, seed: number): Iterable<Buffer> {
  if (product.kind === 'image') return [makePng(product.size, seed)]
  if (product.kind === 'video') return [makeMp4(product.size, product.seconds)]
  return makeSound(product.format, product.seconds)
}

function contentTypeOf(product: Product): string {
  if (product.kind === 'sound') return soundTypes[product.format]
  return product.kind === 'image' ? 'image/png' : 'video/mp4'
}
