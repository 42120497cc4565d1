import type { Socket } from 'node:net'
import { freeBox, makeMp4 } from '../../simulators/vendors/media/make-mp4.ts'
import { makePng } from '../../simulators/vendors/media/make-png.ts'
import type { ReadRequest } from './read-request.ts'

/** How a vendor of media is to answer. The prompt says it. */
export interface MediaDirections {
  /** How long a generation takes. */
  durationMs: number
  /** Bytes of what it makes. */
  bytes: number
}

/** The directions in words, for a prompt. */
export function writeMediaDirections({ durationMs, bytes }: MediaDirections): string {
  return `Make ${bytes} bytes in ${durationMs} ms.`
}

/** Finds them again; without any something small is made at once. */
export function readMediaDirections(body: string): MediaDirections {
  const [, bytes, durationMs] = /Make (\d+) bytes in (\d+) ms\./.exec(body) ?? []
  return { durationMs: Number(durationMs ?? 0), bytes: Number(bytes ?? 0) }
}

/**
 * Answers what a vendor of images (`/images/generations`, inline) or one with a queue (`/queue`, `/files`) is asked;
 * false for anything else. Nothing is remembered: the id of a generation says when it ends and what it makes.
 */
export function answerMedia(socket: Socket, { line, body }: ReadRequest): boolean {
  const [method = '', path = ''] = line.split(' ')
  if (path.startsWith('/files/')) sendFile(socket, Number(/\d+/.exec(path)?.[0] ?? 0))
  else if (path.startsWith('/queue/')) socket.write(method === 'POST' ? submitted(body) : asked(socket, path))
  else if (path.endsWith('/images/generations')) sendImage(socket, readMediaDirections(body))
  else return false
  return true
}

function sendImage(socket: Socket, { durationMs, bytes }: MediaDirections): void {
  const send = () => void (socket.writable && socket.write(imageOf(bytes)))
  if (durationMs === 0) send()
  else setTimeout(send, durationMs)
}

const images = new Map<number, Buffer>()

/** Returns a whole response with one image of at least `bytes` bytes. It is composed once. */
function imageOf(bytes: number): Buffer {
  const known = images.get(bytes)
  if (known) return known
  const png = makePng({ width: 1024, height: 1024 }, 7)
  const image = Buffer.concat([png, Buffer.alloc(Math.max(0, bytes - png.length))])
  const answer = json({ created: 1_780_000_000, data: [{ b64_json: image.toString('base64') }] })
  images.set(bytes, answer)
  return answer
}

let count = 0

function submitted(body: string): Buffer {
  const { durationMs, bytes } = readMediaDirections(body)
  return json({ status: 'IN_QUEUE', request_id: `${Date.now() + durationMs}-${bytes}-${++count}` })
}

function asked(socket: Socket, path: string): Buffer {
  const [, endsAt = '0', bytes = '0'] = /\/requests\/(\d+)-(\d+)-\d+/.exec(path) ?? []
  const isOver = Date.now() >= Number(endsAt)
  if (path.endsWith('/status')) return json({ status: isOver ? 'COMPLETED' : 'IN_PROGRESS' })
  return json({ video: { url: `http://127.0.0.1:${socket.localPort}/files/${bytes}.mp4` } })
}

function json(body: object): Buffer {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  return Buffer.from(head + text)
}

const film = makeMp4({ width: 1280, height: 720 }, 5)
const zeros = Buffer.alloc(65_536)

/** So many digits at the end of each film say when it was asked for, in milliseconds since 1970. */
export const stampBytes = 13

/** Sends a film, padded to `bytes` bytes, no faster than the client reads. */
function sendFile(socket: Socket, bytes: number): void {
  const stamp = String(Date.now())
  const start = Buffer.concat([film, freeBox(bytes + stampBytes)])
  const length = start.length + bytes + stampBytes
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: ${length}\r\n\r\n`)
  socket.write(start)
  let left = bytes
  const send = () => {
    while (left > 0 && socket.writable) {
      const piece = left < zeros.length ? zeros.subarray(0, left) : zeros
      left -= piece.length
      if (!socket.write(piece)) return void socket.once('drain', send)
    }
    if (socket.writable) socket.write(stamp)
  }
  send()
}
