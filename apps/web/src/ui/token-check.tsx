import { Alert, Stack, Textarea } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useFailureText } from '../api/failure-text.ts'
import { Icon, type IconName } from './icon.tsx'
import { MayButton } from './may-button.tsx'
import classes from './token-check.module.css'

/** Asks the server about a pasted token. The token lives in this field only: neither the browser nor the server keeps it. */
export function TokenCheck<Result>(props: {
  title: string
  /** Shown above the field; absent: `title` only names the section. */
  heading?: ReactNode
  label: string
  description: string
  maxLength: number
  /** The permission that asking needs. */
  action: string
  /** What the button says. */
  submit: ReactNode
  icon: IconName
  /** Why nothing can be asked yet, and the same for an empty field. */
  reason?: string | undefined
  reasonIfEmpty: string
  /** With what the token is checked: an answer about something else is not shown. */
  subject: unknown
  ask: (token: string) => Promise<Result>
  children: (result: Result) => ReactNode
}) {
  const [token, setToken] = useState('')
  const { answer, isBusy, place, check, forget } = useAnswer(props.ask, props.subject)
  return (
    <Stack gap="sm" component="section" aria-label={props.title}>
      {props.heading}
      <Textarea
        className={classes.token}
        label={props.label}
        description={props.description}
        value={token}
        onChange={(event) => {
          setToken(event.currentTarget.value)
          forget()
        }}
        maxLength={props.maxLength}
        minRows={3}
        maxRows={6}
        autosize
        autoComplete="off"
        spellCheck={false}
      />
      <div>
        <MayButton
          action={props.action}
          reason={token.trim() === '' ? props.reasonIfEmpty : props.reason}
          size="xs"
          variant="default"
          loading={isBusy}
          leftSection={<Icon name={props.icon} size={15} />}
          onClick={() => void check(token.trim())}
        >
          {props.submit}
        </MayButton>
      </div>
      <div ref={place} tabIndex={-1} className={classes.answer}>
        {answer?.failure !== undefined && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />} className={classes.failure}>
            {answer.failure}
          </Alert>
        )}
        <output>{answer?.result !== undefined && props.children(answer.result)}</output>
      </div>
    </Stack>
  )
}

/** The server's answer about a token, or why there is none. No mutation: the query client would keep the token for a while. */
function useAnswer<Result>(ask: (token: string) => Promise<Result>, subject: unknown) {
  const failureText = useFailureText()
  const [isBusy, setBusy] = useState(false)
  const [shown, setShown] = useState<{ result?: Result; failure?: string; subject: unknown }>()
  const place = useRef<HTMLDivElement>(null)
  const check = async (token: string) => {
    setBusy(true)
    try {
      setShown({ result: await ask(token), subject })
    } catch (error) {
      setShown({ failure: failureText(error), subject })
    } finally {
      setBusy(false)
      // The answer is below the fold.
      requestAnimationFrame(() => {
        place.current?.focus({ preventScroll: true })
        place.current?.scrollIntoView({ block: 'start' })
      })
    }
  }
  const answer = shown?.subject === subject ? shown : undefined
  return { answer, isBusy, place, check, forget: () => setShown(undefined) }
}
