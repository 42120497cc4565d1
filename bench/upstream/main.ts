/**
 * The vendor of the benchmark: chat in the wire format of vendor_a at the least cost that Node allows, so that
 * what is measured is not the vendor. Answers are ready-made bytes; the prompt says after how long, and in how
 * many chunks (`../load/compose-request.ts`).
 *
 *   node bench/upstream/main.ts PORT
 */
import { createServer, type Socket } from 'node:net'
import { streamedAnswer, wholeAnswer } from './answers.ts'
import { readRequest } from './read-request.ts'

const health = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
const lost = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')

createServer({ noDelay: true }, serve).listen(Number(process.argv[2]), '127.0.0.1')

function serve(socket: Socket): void {
  let received: Buffer | undefined
  socket.on('data', data => {
    received = received ? Buffer.concat([received, data]) : data
    const request = readRequest(received)
    if (!request) return
    received = undefined
    if (request.line.startsWith('GET ')) socket.write(health)
    else if (request.line.includes('/chat/completions ')) answerChat(socket, request.body)
    else socket.write(lost)
  })
  socket.on('error', () => socket.destroy())
}

function answerChat(socket: Socket, body: string): void {
  const answer = body.includes('"stream":true') ? streamedAnswer(wordOf(body, 'in ')) : wholeAnswer
  const latencyMs = wordOf(body, 'Answer after ')
  if (latencyMs === 0) socket.write(answer)
  else setTimeout(() => socket.writable && socket.write(answer), latencyMs)
}

/** The number that follows these words in the prompt, 0 without them. */
function wordOf(body: string, words: string): number {
  const at = body.lastIndexOf(words)
  return at < 0 ? 0 : Number.parseInt(body.slice(at + words.length, at + words.length + 6), 10) || 0
}
