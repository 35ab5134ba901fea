import { useLingui } from '@lingui/react/macro'
import { Button, Group, Popover, Stack, Switch, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { VIEW_NAME_LENGTH } from './saved-views.ts'

/** Saves the current filters, or the content search, under a name. */
export function SaveViewButton({
  onSave,
  hasNews,
}: {
  /** Returns false when another view has the name. */
  onSave: (name: string, hasNews: boolean) => boolean
  /** Whether the count of known hits is loaded; undefined: the list is no content search. */
  hasNews: boolean | undefined
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const [isWatched, setWatched] = useState(false)
  const save = (name: string) => {
    const isDone = onSave(name, isWatched)
    if (isDone) setOpen(false)
    return isDone
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          ref={target}
          size="compact-sm"
          variant="subtle"
          flex="none"
          aria-label={t`Save view`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="bookmark" size={14} />
          <Text span inherit ml={6} visibleFrom="sm">
            {t`Save view`}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} aria-label={t`Save view`}>
        <NameForm onSave={save}>
          {hasNews !== undefined && (
            <Switch
              size="xs"
              label={t`Tell me about new hits`}
              description={t`This browser keeps the search and its words`}
              checked={isWatched}
              disabled={!hasNews}
              onChange={(event) => setWatched(event.currentTarget.checked)}
            />
          )}
        </NameForm>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Asks for the name of a view. */
export function NameForm(props: {
  name?: string | undefined
  /** Returns false when another view has the name. */
  onSave: (name: string) => boolean
  children?: ReactNode
}) {
  const { t } = useLingui()
  const [name, setName] = useState(props.name ?? '')
  const [isTaken, setTaken] = useState(false)
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() !== '') setTaken(!props.onSave(name))
  }
  return (
    <form onSubmit={save}>
      <Stack gap={10}>
        <Group gap={8} align="flex-end">
          <TextInput
            data-autofocus
            size="xs"
            label={t`Name of the view`}
            maxLength={VIEW_NAME_LENGTH}
            value={name}
            error={isTaken && t`Another view has this name.`}
            inputWrapperOrder={['label', 'error', 'input']}
            onChange={(event) => {
              setName(event.currentTarget.value)
              setTaken(false)
            }}
            onFocus={(event) => event.currentTarget.select()}
          />
          <Button type="submit" size="xs" disabled={name.trim() === ''}>
            {t`Save`}
          </Button>
        </Group>
        {props.children}
      </Stack>
    </form>
  )
}
