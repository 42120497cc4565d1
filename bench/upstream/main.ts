/**
 * The vendors of the benchmark: chat in the wire formats of vendor_a, vendor_b and vendor_c, images, and a queue of
 * videos (`media.ts`), at the least cost that Node allows, so that the vendor is not what is measured. Answers are bytes
 * that are composed once. The prompt states their delay, number of chunks and speed (`directions.ts`).
 *
 *   node bench/upstream/main.ts PORT
 */
import { createServer, type Socket } from 'node:net'
import { anthropicMessages } from './anthropic-messages.ts'
import { readDirections, silentPath } from './directions.ts'
import { gemini } from './gemini.ts'
import { answerMedia } from './media.ts'
import { openaiChat } from './openai-chat.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { readyAnswer, type WireFormat } from './ready-answers.ts'
import { sendAnswer } from './send-answer.ts'

const health = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
const notFound = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')

createServer({ noDelay: true }, serve).listen({
  port: Number(process.argv[2]),
  host: '127.0.0.1',
  backlog: 2048,
})

function serve(socket: Socket): void {
  let parts: Buffer[] = []
  let size = 0
  let neededSize = 0
  socket.on('data', data => {
    parts.push(data)
    size += data.length
    if (size < neededSize) return
    const received = parts.length === 1 ? data : Buffer.concat(parts)
    const request = readRequest(received)
    if (typeof request === 'number') {
      parts = [received]
      neededSize = request
      return
    }
    ;[parts, size, neededSize] = [[], 0, 0]
    if (request.line.includes(` ${silentPath}`)) return
    if (answerMedia(socket, request)) return
    if (request.line.startsWith('GET ')) socket.write(health)
    else answer(socket, request)
  })
  socket.on('error', () => socket.destroy())
}

function answer(socket: Socket, { line, body }: ReadRequest): void {
  const format = formatAt(line)
  if (!format) return void socket.write(notFound)
  const directions = readDirections(body)
  const isStreamed =
    format === gemini ? line.includes(':streamGenerateContent?alt=sse ') : body.includes('"stream":true')
  sendAnswer(socket, readyAnswer(format, isStreamed ? directions.chunks : 0), directions)
}

/** Returns the wire format of the vendor at a path. */
function formatAt(line: string): WireFormat | undefined {
  if (line.includes('/chat/completions ')) return openaiChat
  if (line.includes(' /anthropic/v1/messages ')) return anthropicMessages
  if (line.includes(' /gemini/v1beta/models/')) return gemini
  return undefined
}
