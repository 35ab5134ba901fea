/* oxlint-disable jsx-a11y/prefer-tag-over-role -- a field with an always open list, which no element provides */
import { Trans, useLingui } from '@lingui/react/macro'
import { Modal, Text, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { keepKeysForPage } from '../../ui/keep-keys.ts'
import { useReturnFocus } from '../../ui/use-focus.ts'
import { commandField } from '../command-field.ts'
import type { Area } from '../navigation.ts'
import { CommandList, optionId } from './command-list.tsx'
import type { Command, CommandGroup } from './command.ts'
import { findCommands } from './find-commands.ts'
import { useCommands } from './use-commands.ts'
import { useFindings } from './use-findings.ts'
import classes from './command-menu.module.css'

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
    keepKeysForPage(router)
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
          {/* Each opening begins with an empty field, also while the last one still closes. */}
          <CommandField
            key={requests}
            id={commandField(requests)}
            area={area}
            onShortcuts={onShortcuts}
            onClose={close}
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Field with results: arrows move, Enter takes the selected result, the first by default. */
function CommandField(props: { area: Area; id: string; onShortcuts: () => void; onClose: () => void }) {
  const { t } = useLingui()
  const { area, onShortcuts, onClose } = props
  useReturnFocus()
  const listId = useId()
  const [query, setQuery] = useState('')
  const [now] = useState(() => new Date())
  const commands = useCommands(area, onShortcuts)
  const { groups: found, isPending, retry } = useFindings(query, area, now)
  const groups: CommandGroup[] = [
    { label: t`Pages and commands`, commands: findCommands(query, commands) },
    ...found,
    { label: t`Retry`, isUntitled: true, commands: retry ? [tryAgain(t`Retry`, retry)] : [] },
  ].filter((group) => group.commands.length > 0)
  const options = groups.flatMap((group) => group.commands)
  const { active, choose, take, onKeyDown } = useSelection(options, isPending, onClose)
  return (
    <>
      <TextInput
        data-autofocus
        id={props.id}
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
          choose(undefined)
        }}
        onKeyDown={onKeyDown}
      />
      <CommandList
        id={listId}
        groups={groups}
        active={active?.id}
        highlight={query.trim()}
        onChoose={choose}
        onTake={take}
      />
      <SearchState isPending={isPending} hasFailed={retry !== undefined} isEmpty={options.length === 0} />
    </>
  )
}

/** The selected option, and its keys. Enter before the results arrive takes the first of them. */
function useSelection(options: readonly Command[], isPending: boolean, onClose: () => void) {
  const [chosen, setChosen] = useState<string>()
  const isAwaited = useRef(false)
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
  const choose = (command: Command | undefined) => {
    setChosen(command?.id)
    if (command === undefined) isAwaited.current = false
  }
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
  return { active, choose, take, onKeyDown }
}

function SearchState(props: { isPending: boolean; hasFailed: boolean; isEmpty: boolean }) {
  return (
    <div className={classes.state} role="status">
      {props.isPending ? (
        <Text span size="sm" c="dimmed">
          <Trans>Searching…</Trans>
        </Text>
      ) : props.hasFailed ? (
        <Text span size="sm" c="red">
          <Trans>The search is incomplete</Trans>
        </Text>
      ) : (
        props.isEmpty && <NothingFound />
      )}
    </div>
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
