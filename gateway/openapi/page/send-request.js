// Sends a request of the page and shows its response while it arrives.
import { json } from './element.js'

const shown = 200_000 // maximum number of characters of a response that are shown

/** Builds a request: its URL and the options of `fetch`. `fields` are parameters with their inputs. */
export function requestOf({ path, method, fields, body, token }) {
  const query = new URLSearchParams()
  const headers = {}
  let address = path
  const put = {
    path(name, value) {
      address = address.replace(`{${name}}`, encodeURIComponent(value))
    },
    header(name, value) {
      headers[name] = value
    },
    query(name, value, { type }) {
      for (const part of type === 'array' ? value.split(',') : [value]) query.append(name, part.trim())
    },
  }
  for (const { parameter, input } of fields) {
    const value = input.value.trim()
    if (value || parameter.in === 'path') put[parameter.in](parameter.name, value, parameter.schema)
  }
  if (token) headers.Authorization = `Bearer ${token}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const search = query.size > 0 ? `?${query}` : ''
  return { address: `${address}${search}`, init: { method, headers, ...(body !== undefined && { body }) } }
}

/** Returns the same request for a terminal, without the token. */
export function curlOf({ address, init: { method, headers, body } }) {
  const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`
  const isPlain = method === (body === undefined ? 'GET' : 'POST')
  const lines = [`curl ${isPlain ? '' : `-X ${method} `}${quoted(new URL(address, location.origin).href)}`]
  for (const [name, value] of Object.entries(headers))
    lines.push(
      name === 'Authorization' ? `-H "Authorization: Bearer $KEY"` : `-H ${quoted(`${name}: ${value}`)}`,
    )
  if (body !== undefined) lines.push(`-d ${quoted(body)}`)
  return lines.join(' \\\n  ')
}

/** Sends a request and writes status and response into an element. Returns the JSON response, if there is one. */
export async function sendRequest({ address, init }, answer) {
  answer.hidden = false
  answer.textContent = '…'
  const response = await fetch(address, init)
  const type = response.headers.get('content-type') ?? ''
  answer.textContent = `${response.status} ${response.statusText}  x-request-id: ${response.headers.get('x-request-id')}\n\n`
  if (type.startsWith('application/json')) {
    const came = await response.json()
    answer.append(json(came).slice(0, shown))
    return came
  }
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
    answer.append(decoder.decode(part.value, { stream: true }))
    if (answer.textContent.length > shown) return void reader.cancel()
  }
}
