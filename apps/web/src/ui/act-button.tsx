import { useLingui } from '@lingui/react/macro'
import { ActionIcon, type ButtonVariant } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { noticeDone } from '../api/notices.ts'
import { useMay } from '../api/use-profile.ts'
import { Icon, type IconName } from './icon.tsx'
import { PageAct } from './page-act.tsx'

const OpenedMenu = lazy(() => import('./page-menu.tsx'))
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

/**
 * The further actions of a page or row behind one button: `PageAct`, `ActButton` and `DeleteButton`. The menu loads on
 * first use and opens at once.
 */
export function PageMenu(props: {
  /** Names the button where a page has several. */
  label?: string
  children: ReactNode
}) {
  const { t } = useLingui()
  const [isWanted, setWanted] = useState(false)
  const label = props.label ?? t`More actions`
  const closed = (
    <ActionIcon
      variant="default"
      size={36}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    >
      <Icon name="more" />
    </ActionIcon>
  )
  if (!isWanted) return closed
  return (
    <Suspense fallback={closed}>
      <OpenedMenu label={label}>{props.children}</OpenedMenu>
    </Suspense>
  )
}
