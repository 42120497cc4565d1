// The page at /docs. It shows /openapi.json and sends requests.
import { element, json, prose, withCode } from './element.js'
import { curlOf, requestOf, sendRequest } from './send-request.js'
import { typeText } from './type-text.js'

const description = await (await fetch('/openapi.json')).json()
const credentials = document.querySelector('#credentials').elements
const main = document.querySelector('#operations')

// A token in the URL's fragment is used. The fragment is never sent to a server.
const fragment = new URLSearchParams(location.hash.slice(1))
for (const name of ['apiKey', 'session']) credentials[name].value = fragment.get(name) ?? ''
if (fragment.has('apiKey') || fragment.has('session')) history.replaceState(null, '', location.pathname)
credentials.apiKey.form.addEventListener('submit', event => event.preventDefault())

document.querySelector('#about').append(...withCode(description.info.description))
const byTag = new Map(description.tags.map(({ name }) => [name, []]))
for (const [path, methods] of Object.entries(description.paths))
  for (const [method, operation] of Object.entries(methods))
    byTag.get(operation.tags[0])?.push({ path, method: method.toUpperCase(), operation })
for (const [tag, operations] of byTag) {
  const id = tag.toLowerCase().replaceAll(' ', '-')
  main.append(element('section', { id }, element('h2', {}, tag), ...operations.map(showOperation)))
  document.querySelector('#tags').append(element('a', { href: `#${id}` }, tag))
}
openNamed()
window.addEventListener('hashchange', openNamed)

document.querySelector('#find').addEventListener('input', ({ target }) => {
  const words = target.value.toLowerCase().split(/\s+/)
  for (const details of main.querySelectorAll('.operation'))
    details.hidden = !words.every(word => details.dataset.text.includes(word))
  for (const section of main.children) section.hidden = !section.querySelector('.operation:not([hidden])')
})

/** Opens the operation or shows the section in the URL's fragment. */
function openNamed() {
  const named = document.getElementById(location.hash.slice(1))
  if (named?.tagName === 'DETAILS') named.open = true
  named?.scrollIntoView()
}

/** Returns the element of an operation. Its content is created when it is opened. */
function showOperation({ path, method, operation }) {
  const head = element(
    'summary',
    {},
    element('code', {}, element('b', { className: 'method' }, method), path),
    element('span', {}, ...withCode(operation.summary)),
  )
  const details = element('details', { id: operation.operationId, className: 'operation' }, head)
  details.dataset.text = `${method} ${path} ${operation.tags} ${operation.summary}`.toLowerCase()
  details.addEventListener('toggle', () => fill(details, { path, method, operation }), { once: true })
  return details
}

function fill(details, { path, method, operation }) {
  const fields = (operation.parameters ?? []).map(parameter => ({ parameter, input: inputOf(parameter) }))
  const accepted = operation.requestBody?.content['application/json']
  const example = json(accepted?.example ?? {})
  const rows = example.split('\n').length + 1
  const body = accepted && element('textarea', { spellcheck: false, rows, ariaLabel: 'Body' }, example)
  const answer = element('pre', { hidden: true })
  const curl = element('pre', {})
  const request = () => requestOf({ path, method, fields, body: body?.value, token: tokenFor(operation) })
  const showCurl = () => {
    curl.textContent = curlOf(request())
  }
  const send = element('button', { type: 'button' }, 'Send')
  send.addEventListener('click', async () => {
    send.disabled = true
    const came = await sendRequest(request(), answer).catch(error => void answer.append(`\n${error.message}`))
    if (came?.access_token) credentials.session.value = came.access_token
    send.disabled = false
  })
  const inTerminal = element('details', {}, element('summary', {}, 'In a terminal'), curl)
  inTerminal.addEventListener('toggle', showCurl)
  details.addEventListener('input', showCurl)
  details.append(
    ...(operation.description ? [prose(operation.description)] : []),
    element('p', {}, `Credential: ${credentialsOf(operation)}`),
    ...(fields.length > 0 ? [element('table', {}, ...fields.map(showField))] : []),
    ...(body ? [element('p', {}, 'Body'), body, showSchema('Fields', accepted.schema)] : []),
    element('p', {}, send),
    answer,
    inTerminal,
    ...Object.entries(operation.responses).map(([status, response]) => showResponse(status, response)),
  )
}

/** Returns the token to send: the session token if it is accepted and set, otherwise the API key. */
function tokenFor({ security }) {
  const accepted = security.flatMap(Object.keys)
  const named = ['session', 'apiKey'].filter(name => accepted.includes(name))
  return named.map(name => credentials[name].value.trim()).find(value => value !== '')
}

function credentialsOf({ security }) {
  const names = security.flatMap(Object.keys)
  return names.map(name => (name === 'session' ? 'session' : 'API key')).join(' or ') || 'none'
}

function inputOf({ name, schema, example, required }) {
  const value = Array.isArray(example) ? example.join(',') : (example ?? '')
  const hint = schema.enum ?? schema.items?.enum ?? (schema.default === undefined ? [] : [schema.default])
  return element('input', { value: required ? value : '', placeholder: hint.join(', '), ariaLabel: name })
}

function showField({ parameter: { name, description: about, required, schema }, input }) {
  const kind = schema.type === 'array' ? ' Several are separated by commas.' : ''
  return element(
    'tr',
    {},
    element('th', {}, element('code', {}, name), required ? ' *' : ''),
    element('td', {}, input),
    element('td', {}, ...withCode(`${about ?? ''}${kind}`)),
  )
}

function showResponse(status, response) {
  const { description: text, content = {} } = resolve(response)
  const names = [...text.matchAll(/^- `(\w+)`/gm)].map(([, name]) => name)
  const line = names.length > 0 ? names.join(', ') : text
  const shapes = Object.entries(content).flatMap(([type, { schema }]) => [
    element('p', {}, element('code', {}, type)),
    element('pre', {}, typeText(schema, resolve)),
  ])
  const title = element('summary', {}, element('b', {}, status), ' ', ...withCode(line))
  return element('details', {}, title, ...(names.length > 0 ? [prose(text)] : []), ...shapes)
}

function showSchema(title, schema) {
  return element('details', {}, element('summary', {}, title), element('pre', {}, typeText(schema, resolve)))
}

function resolve(value) {
  const reference = value?.$ref
  if (!reference) return value
  const names = reference.slice(2).split('/')
  return names.reduce((within, name) => within[name], description)
}
