import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { noticeDone } from '../api/notices.ts'
import { useMay } from '../api/use-profile.ts'
import { Confirm } from './dialog.tsx'
import { Icon, type IconName } from './icon.tsx'
import { useLingui } from '@lingui/react/macro'

/** Button for users who may `action`: confirms first, shows the cause of a failure, and notifies when `done`. */
export function ActButton(props: {
  action: string
  icon: IconName
  label: string
  question: string
  done: string
  isDangerous?: boolean
  onAct: () => Promise<unknown>
  /** Explanation in the question. */
  children: ReactNode
}) {
  const { isDangerous = false } = props
  const [isAsking, setAsking] = useState(false)
  if (!useMay()(props.action)) return null
  return (
    <>
      <Button
        variant={isDangerous ? 'light' : 'default'}
        {...(isDangerous && { color: 'red' })}
        leftSection={<Icon name={props.icon} size={16} />}
        onClick={() => setAsking(true)}
      >
        {props.label}
      </Button>
      {isAsking && (
        <Confirm
          title={props.question}
          confirmLabel={props.label}
          isDangerous={isDangerous}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await props.onAct()
            setAsking(false)
            noticeDone(props.done)
          }}
        >
          {props.children}
        </Confirm>
      )}
    </>
  )
}

/** 'Delete' for users who may `action`: confirms first, shows the cause of a failure, and notifies when `done`. */
export function DeleteButton(props: {
  action: string
  question: string
  done: string
  onDelete: () => Promise<unknown>
  onDeleted: () => void
  explain?: (error: unknown) => ReactNode
  /** What is deleted and what stays. */
  children: ReactNode
}) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  if (!useMay()(props.action)) return null
  return (
    <>
      <Button
        variant="subtle"
        color="red"
        leftSection={<Icon name="trash" size={16} />}
        onClick={() => setAsking(true)}
      >
        {t`Delete`}
      </Button>
      {isAsking && (
        <Confirm
          title={props.question}
          confirmLabel={t`Delete`}
          isDangerous
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await props.onDelete()
            setAsking(false)
            noticeDone(props.done)
            props.onDeleted()
          }}
          {...(props.explain ? { explain: props.explain } : {})}
        >
          {props.children}
        </Confirm>
      )}
    </>
  )
}
