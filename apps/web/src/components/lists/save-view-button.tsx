import { useLingui } from '@lingui/react/macro'
import { Button, Group, Popover, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-dropdown-focus.ts'
import { VIEW_NAME_LENGTH } from './saved-views.ts'

/** Saves the current filters under a name. */
export function SaveViewButton({ onSave }: { onSave: (name: string) => void }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const [name, setName] = useState('')
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
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() === '') return
            onSave(name)
            setName('')
            setOpen(false)
          }}
        >
          <Group gap={8} align="flex-end">
            <TextInput
              data-autofocus
              size="xs"
              label={t`Name of the view`}
              maxLength={VIEW_NAME_LENGTH}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" size="xs" disabled={name.trim() === ''}>
              {t`Save`}
            </Button>
          </Group>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
