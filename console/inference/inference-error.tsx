import { Link } from '@tanstack/react-router'
import { useMutation } from 'urql'
import { graphql } from '../graph/documents.ts'
import { faultText } from '../graph/faults.ts'
import { ServiceError } from '../session/rest.ts'
import { useText } from '../text/language.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { notify } from '../ui/toasts.tsx'
import { messages } from './messages.ts'

const createDocument = graphql(`
  mutation CreatePlaygroundKey { createPlaygroundKey { apiKey { id } } }
`)

/** The error of a request of the playground, and what the reader can do about it. */
export function InferenceError({ error }: { error: unknown }) {
  const text = useText(messages)
  const code = error instanceof ServiceError ? error.code : ''
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-md bg-danger-soft px-3 py-2 text-danger"
    >
      <p className="min-w-0 flex-1 basis-60 break-words">{faultText(error)}</p>
      {code === 'playground_revoked' && <CreateKey />}
      {code === 'key_disabled' && (
        <Link to="/keys" className={buttonClass('secondary')}>
          {text.toKeys}
        </Link>
      )}
      {code === 'insufficient_credits' && (
        <Link to="/billing" search={{ add: true }} className={buttonClass('secondary')}>
          {text.addCredits}
        </Link>
      )}
    </div>
  )
}

function CreateKey() {
  const text = useText(messages)
  const [{ fetching }, create] = useMutation(createDocument)
  const run = async () => {
    const { error } = await create({}, { additionalTypenames: ['ApiKey'] })
    notify(error ? faultText(error) : text.created)
  }
  return (
    <Button isBusy={fetching} onClick={() => void run()}>
      {text.createKey}
    </Button>
  )
}
