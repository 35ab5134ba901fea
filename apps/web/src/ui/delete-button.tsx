import { useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Confirm } from './confirm.tsx'
import { Icon } from './icon.tsx'

/** 'Delete', which asks first and shows the cause when the server refuses. */
export function DeleteButton(props: {
  question: string
  onDelete: () => Promise<unknown>
  onDeleted: () => void
  explain?: (error: unknown) => ReactNode
  /** What will be gone and what stays. */
  children: ReactNode
}) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
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
