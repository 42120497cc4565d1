/** A receiver that verifies callbacks, as docs/callbacks.md has it. */
export const receiverCode = `import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.CALLBACK_SECRET)
const handled = new Set() // use a database in production

createServer(async (request, response) => {
  const body = await text(request)
  try {
    webhook.verify(body, request.headers)
  } catch {
    return response.writeHead(400).end('this is not from Rubicon')
  }
  const id = request.headers['webhook-id']
  if (!handled.has(id)) console.log(JSON.parse(body))
  handled.add(id)
  response.writeHead(204).end()
}).listen(process.env.PORT ?? 3000)`
