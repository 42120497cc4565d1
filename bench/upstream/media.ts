import type { Socket } from 'node:net'
import { freeBox, makeMp4, makePng } from '../../simulators/vendors/media/make-files.ts'
import { readDirections } from './directions.ts'
import type { ReadRequest } from './read-request.ts'
import { jsonResponse } from './ready-answers.ts'

/** Number of digits at the end of each video: the time when it was requested, in milliseconds since 1970. */
export const stampBytes = 13

/**
 * Answers requests of a vendor of images (`/images/generations`, inline) or of videos with a queue (`/queue`, `/files`).
 * Returns false for any other request. Nothing is stored: the ID of a generation states its end and its size.
 */
export function answerMedia(socket: Socket, { line, body }: ReadRequest): boolean {
  const [method = '', path = ''] = line.split(' ')
  if (path.startsWith('/files/')) sendFile(socket, Number(/\d+/.exec(path)?.[0] ?? 0))
  else if (path.startsWith('/queue/')) socket.write(method === 'POST' ? submit(body) : poll(socket, path))
  else if (path.endsWith('/images/generations')) sendImage(socket, body)
  else return false
  return true
}

function sendImage(socket: Socket, body: string): void {
  const { latencyMs, bytes } = readDirections(body)
  const send = () => void (socket.writable && socket.write(imageOf(bytes)))
  if (latencyMs === 0) send()
  else setTimeout(send, latencyMs)
}

const images = new Map<number, Buffer>()

/** Returns a response with one image of at least `bytes` bytes. Each is composed once. */
function imageOf(bytes: number): Buffer {
  const known = images.get(bytes)
  if (known) return known
  const png = makePng({ width: 1024, height: 1024 }, 7)
  const image = Buffer.concat([png, Buffer.alloc(Math.max(0, bytes - png.length))])
  const answer = jsonResponse({ created: 1_780_000_000, data: [{ b64_json: image.toString('base64') }] })
  images.set(bytes, answer)
  return answer
}

let count = 0

function submit(body: string): Buffer {
  const { latencyMs, bytes } = readDirections(body)
  return jsonResponse({ status: 'IN_QUEUE', request_id: `${Date.now() + latencyMs}-${bytes}-${++count}` })
}

function poll(socket: Socket, path: string): Buffer {
  const [, endsAt = '0', bytes = '0'] = /\/requests\/(\d+)-(\d+)-\d+/.exec(path) ?? []
  const isOver = Date.now() >= Number(endsAt)
  if (path.endsWith('/status')) return jsonResponse({ status: isOver ? 'COMPLETED' : 'IN_PROGRESS' })
  return jsonResponse({ video: { url: `http://127.0.0.1:${socket.localPort}/files/${bytes}.mp4` } })
}

const film = makeMp4({ width: 1280, height: 720 }, 5)
const zeros = Buffer.alloc(65_536)

/** Sends a video with `bytes` bytes of padding, no faster than the client reads. */
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
