/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a field with an always open list, which no element provides */
import { Trans, useLingui } from '@lingui/react/macro'
import { Modal, Text, TextInput } from '@mantine/core'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { keepKeys } from '../../ui/keep-keys.ts'
import { MODAL } from '../../ui/use-keys.ts'
import type { Area } from '../navigation.ts'
import type { Command, CommandGroup } from './command.ts'
import { COMMAND_FIELD } from '../command-field.ts'
import { CommandList, optionId } from './command-list.tsx'
import classes from './command-menu.module.css'
import { findCommands } from './find-commands.ts'
import { noticeFailure } from '../../api/notices.ts'
import { signOut } from '../../api/sign-in.ts'
import { endSupportMode } from '../../api/support-mode.ts'
import { useProfile } from '../../api/use-profile.ts'
import { useFindings } from './use-findings.ts'

/** Ctrl+K: pages, shell commands and recorded data. Opens with each request. */
export default function CommandMenu({
  area,
  requests,
  onShortcuts,
}: {
  area: Area
  requests: number
  onShortcuts: () => void
}) {
  const { t } = useLingui()
  const router = useRouter()
  const [closed, setClosed] = useState<number>()
  const close = () => {
    setClosed(requests)
    // Later keys belong to the opened page.
    keepKeys(() => (isSettled(router) ? document.body : undefined))
  }
  return (
    <Modal.Root
      opened={closed !== requests}
      onClose={close}
      size={600}
      yOffset={80}
      zIndex="var(--mantine-z-index-max)"
    >
      <Modal.Overlay backgroundOpacity={0.4} blur={0} />
      <Modal.Content aria-label={t`Go to…`}>
        <Modal.Body p={0}>
          <CommandField area={area} onShortcuts={onShortcuts} onClose={close} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** The target page is rendered: keys belong to it. */
const isSettled = (router: ReturnType<typeof useRouter>): boolean =>
  router.state.status === 'idle' && document.querySelector(MODAL) === null

/** Field with results: arrows move, Enter takes the selected result, the first by default. */
function CommandField(props: { area: Area; onShortcuts: () => void; onClose: () => void }) {
  const { t } = useLingui()
  const { area, onShortcuts, onClose } = props
  const listId = useId()
  const [query, setQuery] = useState('')
  const [now] = useState(() => new Date())
  const [chosen, setChosen] = useState<string>()
  // Enter was pressed before results arrived.
  const isAwaited = useRef(false)
  const commands = useCommands(area, onShortcuts)
  const { groups: found, isPending, retry } = useFindings(query, area, now)
  const groups: CommandGroup[] = [
    { label: t`Pages and commands`, commands: findCommands(query, commands) },
    ...found,
    { label: t`Retry`, isUntitled: true, commands: retry ? [tryAgain(t`Retry`, retry)] : [] },
  ].filter((group) => group.commands.length > 0)
  const options = groups.flatMap((group) => group.commands)
  const active = options.find(({ id }) => id === chosen) ?? options[0]

  const take = (command: Command) => {
    if (!command.isRetry) onClose()
    void command.go()
  }
  const takeAwaited = useEffectEvent(() => {
    if (isAwaited.current && active !== undefined) take(active)
    isAwaited.current = false
  })
  useEffect(() => {
    if (!isPending) takeAwaited()
  }, [isPending])
  const step = (by: number) => {
    const at = options.findIndex(({ id }) => id === active?.id)
    setChosen(options.at((at + by) % options.length)?.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown') step(1)
    else if (event.key === 'ArrowUp') step(-1)
    else if (event.key === 'Enter' && active) take(active)
    else if (event.key === 'Enter') isAwaited.current = isPending
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        data-autofocus
        id={COMMAND_FIELD}
        size="md"
        variant="unstyled"
        classNames={{ wrapper: classes.field }}
        leftSection={<Icon name="search" />}
        placeholder={t`Page, number, name, reference or time`}
        aria-label={t`Go to…`}
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={active && optionId(listId, active.id)}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(undefined)
          isAwaited.current = false
        }}
        onKeyDown={onKeyDown}
      />
      <CommandList
        id={listId}
        groups={groups}
        active={active?.id}
        highlight={query.trim()}
        onChoose={(command) => setChosen(command.id)}
        onTake={take}
      />
      <div className={classes.state} role="status">
        {isPending ? (
          <Text span size="sm" c="dimmed">
            <Trans>Searching…</Trans>
          </Text>
        ) : retry ? (
          <Text span size="sm" c="red">
            <Trans>The search is incomplete</Trans>
          </Text>
        ) : (
          options.length === 0 && <NothingFound />
        )}
      </div>
    </>
  )
}

const tryAgain = (label: string, retry: () => void): Command => ({
  id: 'retry',
  label,
  icon: 'refresh',
  go: retry,
  isRetry: true,
})

const NothingFound = () => (
  <>
    <Text fw={600}>
      <Trans>Nothing found</Trans>
    </Text>
    <Text size="sm" c="dimmed">
      <Trans>
        Try four or more final digits of a number, the start of a name, a reference, or a time such as
        “yesterday 14:30”.
      </Trans>
    </Text>
  </>
)

/** Menu pages and shell commands. */
function useCommands(area: Area, onShortcuts: () => void): readonly Command[] {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const profile = useProfile()
  const { support, is_provider } = profile
  const otherArea: Command =
    area.home === '/internal'
      ? {
          id: 'own',
          label: t`The provider’s own account`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/dashboard' }),
        }
      : {
          id: 'internal',
          label: t`Provider area`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/internal' }),
        }
  const endSupport: Command = {
    id: 'end-support',
    label: t`End support mode`,
    icon: 'lifebuoy',
    go: () => endSupportMode().catch(noticeFailure),
  }
  return [
    ...area.menuFor(profile).map(({ to, label, icon }): Command => ({
      id: to,
      label: i18n._(label),
      icon,
      go: () => navigate({ to }),
    })),
    ...(support === null ? [] : [endSupport]),
    ...(is_provider && support === null ? [otherArea] : []),
    { id: 'shortcuts', label: t`Keyboard shortcuts`, icon: 'keyboard', go: onShortcuts },
    { id: 'sign-out', label: t`Sign out`, icon: 'sign-out', go: signOut },
  ]
}
