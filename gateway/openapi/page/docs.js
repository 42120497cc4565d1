// The page at /docs: shows what /openapi.json says, and sends requests. Text is never read as HTML.

const shown = 200_000 // characters of an answer

const description = await (await fetch('/openapi.json')).json()
const credential = document.querySelector('#credential')
const main = document.querySelector('#operations')
document.querySelector('#about').textContent = description.info.description

const byTag = new Map(description.tags.map(({ name }) => [name, []]))
for (const [path, methods] of Object.entries(description.paths))
  for (const [method, operation] of Object.entries(methods))
    byTag.get(operation.tags[0])?.push({ path, method: method.toUpperCase(), operation })
for (const [tag, operations] of byTag)
  main.append(element('section', {}, element('h2', {}, tag), ...operations.map(showOperation)))

document.querySelector('#find').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/)
  for (const details of main.querySelectorAll('details'))
    details.hidden = !words.every(word => details.dataset.text.includes(word))
})

/** One operation, filled when it is opened. */
function showOperation({ path, method, operation }) {
  const head = element(
    'summary',
    {},
    element('code', {}, element('b', { className: 'method' }, method), path),
    element('span', {}, operation.summary),
  )
  const details = element('details', { id: operation.operationId }, head)
  details.dataset.text = `${method} ${path} ${operation.summary}`.toLowerCase()
  details.addEventListener('toggle', () => fill(details, { path, method, operation }), { once: true })
  return details
}

function fill(details, { path, method, operation }) {
  const fields = (operation.parameters ?? []).map(parameter => ({ parameter, input: inputOf(parameter) }))
  const json = operation.requestBody?.content['application/json']
  const body = json && element('textarea', { spellcheck: false }, json.example ? text(json.example) : '{}')
  const answer = element('pre', { hidden: true })
  const send = element('button', { type: 'button' }, 'Send')
  send.addEventListener('click', async () => {
    send.disabled = true
    await ask({ path, method, fields, body: body?.value, answer }).catch(error => {
      answer.append(`\n${error.message}`)
    })
    send.disabled = false
  })
  const responses = Object.entries(operation.responses).map(([status, response]) =>
    showResponse(status, response),
  )
  details.append(
    ...(operation.description ? [element('p', {}, operation.description)] : []),
    element('p', {}, `Credential: ${securityOf(operation)}`),
    ...(fields.length > 0 ? [element('table', {}, ...fields.map(showField))] : []),
    ...(body ? [element('p', {}, 'Body'), body, showSchema('What it may have', json.schema)] : []),
    element('p', {}, send),
    answer,
    ...responses,
  )
}

function securityOf({ security }) {
  const names = security.flatMap(Object.keys)
  return names.length === 0
    ? 'none'
    : names.map(name => (name === 'session' ? 'session' : 'API key')).join(' or ')
}

function inputOf({ schema, example, required }) {
  const value = Array.isArray(example) ? example.join(',') : (example ?? '')
  const hint = schema.enum ?? schema.items?.enum ?? (schema.default === undefined ? [] : [schema.default])
  return element('input', { value: required ? value : '', placeholder: hint.join(', ') })
}

function showField({ parameter: { name, description, required, schema }, input }) {
  const kind = schema.type === 'array' ? ' (several, separated by commas)' : ''
  return element(
    'tr',
    {},
    element('th', {}, element('code', {}, name), required ? ' *' : ''),
    element('td', {}, input),
    element('td', {}, `${description ?? ''}${kind}`),
  )
}

function showResponse(status, response) {
  const found = resolve(response)
  const schemas = Object.values(found.content ?? {}).map(({ schema }) => resolve(schema))
  const line = `${status} ${found.description.split('\n')[0]}`
  return element(
    'details',
    {},
    element('summary', {}, line),
    element('pre', {}, found.description),
    ...schemas.map(schema => element('pre', {}, text(schema))),
  )
}

function showSchema(title, schema) {
  return element('details', {}, element('summary', {}, title), element('pre', {}, text(resolve(schema))))
}

/** Sends the request and shows the answer as it comes. */
async function ask({ path, method, fields, body, answer }) {
  const query = new URLSearchParams()
  const headers = new Headers()
  let address = path
  for (const { parameter, input } of fields) {
    const { name, schema } = parameter
    const value = input.value.trim()
    if (parameter.in === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value))
    else if (value === '') continue
    else if (parameter.in === 'header') headers.set(name, value)
    else
      for (const part of schema.type === 'array' ? value.split(',') : [value]) query.append(name, part.trim())
  }
  if (credential.value) headers.set('authorization', `Bearer ${credential.value.trim()}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  answer.hidden = false
  answer.textContent = '…'
  const search = query.size > 0 ? `?${query}` : ''
  const response = await fetch(`${address}${search}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  })
  answer.textContent = `${response.status} ${response.statusText}  x-request-id: ${response.headers.get('x-request-id')}\n\n`
  const isJson = response.headers.get('content-type')?.includes('json') && !address.endsWith('.ndjson')
  if (isJson) return answer.append(text(await response.json()).slice(0, shown))
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader.read()) {
    answer.append(decoder.decode(part.value, { stream: true }))
    if (answer.textContent.length > shown) return reader.cancel()
  }
}

function resolve(value) {
  const reference = value?.$ref
  if (!reference) return value
  return reference
    .slice(2)
    .split('/')
    .reduce((within, name) => within[name], description)
}

function text(value) {
  return JSON.stringify(value, null, 2)
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}
