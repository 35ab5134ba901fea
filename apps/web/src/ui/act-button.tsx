import { useLingui } from '@lingui/react/macro'
import type { ButtonVariant } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { noticeDone } from '../api/notices.ts'
import { useMay } from '../api/use-profile.ts'
import type { IconName } from './icon.tsx'
import { PageAct } from './page-act.tsx'

const Confirm = lazy(async () => ({ default: (await import('./dialog.tsx')).Confirm }))

interface ActProps {
  /** The permission; without it there is no button. */
  action: string
  question: string
  done: string
  /** Texts of failures that need advice. */
  explain?: ((error: unknown) => ReactNode) | undefined
  /** Explanation in the question. */
  children: ReactNode
}

/** Button or menu entry for users who may `action`: confirms first, shows the cause of a failure, and notifies when `done`. */
export function ActButton({
  icon,
  label,
  isDangerous = false,
  isDisabled = false,
  variant = isDangerous ? 'light' : 'default',
  onAct,
  onDone,
  ...props
}: ActProps & {
  icon: IconName
  label: string
  isDangerous?: boolean
  isDisabled?: boolean
  variant?: ButtonVariant
  onAct: () => Promise<unknown>
  onDone?: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  if (!useMay()(props.action)) return null
  return (
    <>
      <PageAct {...{ icon, label, isDangerous, isDisabled, variant }} onClick={() => setAsking(true)} />
      <Suspense>
        {isAsking && (
          <Confirm
            title={props.question}
            confirmLabel={label}
            isDangerous={isDangerous}
            onClose={() => setAsking(false)}
            onConfirm={async () => {
              await onAct()
              setAsking(false)
              noticeDone(props.done)
              onDone?.()
            }}
            {...(props.explain && { explain: props.explain })}
          >
            {props.children}
          </Confirm>
        )}
      </Suspense>
    </>
  )
}

/** 'Delete', like `ActButton`; the question says what is deleted and what stays. */
export function DeleteButton({
  onDelete,
  onDeleted,
  ...props
}: ActProps & { onDelete: () => Promise<unknown>; onDeleted: () => void }) {
  const { t } = useLingui()
  return (
    <ActButton
      {...props}
      icon="trash"
      label={t`Delete`}
      isDangerous
      variant="subtle"
      onAct={onDelete}
      onDone={onDeleted}
    />
  )
}
