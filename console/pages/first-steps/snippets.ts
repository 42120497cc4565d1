/** The first request as code, with the real address, key and model. */
export interface Snippet {
  origin: string
  key: string
  model: string
  content: string
}

export function curlSnippet({ origin, key, model, content }: Snippet): string {
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content }] })}'`
}

export function pythonSnippet({ origin, key, model, content }: Snippet): string {
  return `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${content}"}],
)
print(answer.choices[0].message.content)`
}

export function typescriptSnippet({ origin, key, model, content }: Snippet): string {
  return `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${key}' })
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${content}' }],
})
console.log(answer.choices[0]?.message.content)`
}
