import { useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { noticeDone } from '../api/notices.ts'
import { useMay } from '../api/use-profile.ts'
import { Confirm } from './confirm.tsx'
import { Icon } from './icon.tsx'

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
