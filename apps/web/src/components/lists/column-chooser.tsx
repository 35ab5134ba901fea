import { useLingui } from '@lingui/react/macro'
import { ActionIcon, Button, Checkbox, Group, Popover, SegmentedControl, Stack, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { moveColumn, readColumnSettings } from './column-settings.ts'
import type { ListColumn } from './list-definition.ts'
import type { ListColumns } from './use-list-columns.ts'

export type ColumnChoice = Omit<ListColumns<never>, 'ordered' | 'shown' | 'chosen'> & {
  ordered: readonly Pick<ListColumn<never>, 'id' | 'label'>[]
}

/** Chooses columns, their order and the row height. */
export function ColumnChooser({ columns }: { columns: ColumnChoice }) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const { settings, setSettings } = columns
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={290}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Tooltip withinPortal={false} label={t`Columns and density`}>
        <Popover.Target>
          <ActionIcon
            ref={target}
            size={32}
            variant="default"
            aria-label={t`Columns and density`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="columns" size={16} />
          </ActionIcon>
        </Popover.Target>
      </Tooltip>
      <Popover.Dropdown ref={dropdown} aria-label={t`Columns and density`}>
        <Stack gap="xs">
          <SegmentedControl
            size="xs"
            fullWidth
            aria-label={t`Row height`}
            data={[
              { value: 'comfortable', label: t`Comfortable` },
              { value: 'compact', label: t`Compact` },
            ]}
            value={settings.density}
            onChange={(density) =>
              setSettings({ ...settings, density: density === 'compact' ? 'compact' : 'comfortable' })
            }
          />
          <ColumnList columns={columns} />
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            onClick={() => setSettings(readColumnSettings(undefined))}
          >
            {t`Reset columns`}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function ColumnList({ columns }: { columns: ColumnChoice }) {
  const { t, i18n } = useLingui()
  const { settings, setSettings, ids, ordered, isShown, isEmpty } = columns
  const shownCount = ordered.filter(({ id }) => isShown(id)).length
  return (
    <Stack gap={0} component="ul" m={0} p={0} mah="50vh" style={{ listStyle: 'none', overflowY: 'auto' }}>
      {ordered.map(({ id, label }, position) => {
        const name = i18n._(label)
        return (
          <Group key={id} component="li" justify="space-between" wrap="nowrap" gap={4} h={32}>
            <Checkbox
              size="xs"
              label={isEmpty(id) ? t`${name} (empty here)` : name}
              checked={isShown(id)}
              // At least one column stays visible.
              disabled={isShown(id) && shownCount === 1}
              onChange={(event) =>
                setSettings({
                  ...settings,
                  visible: { ...settings.visible, [id]: event.currentTarget.checked },
                })
              }
            />
            <Group gap={0} wrap="nowrap">
              <ActionIcon
                size={26}
                variant="subtle"
                color="gray"
                disabled={position === 0}
                aria-label={t`Move ${name} to the left`}
                onClick={() => setSettings(moveColumn(settings, ids, id, -1))}
              >
                <Icon name="arrow-left" size={14} />
              </ActionIcon>
              <ActionIcon
                size={26}
                variant="subtle"
                color="gray"
                disabled={position === ordered.length - 1}
                aria-label={t`Move ${name} to the right`}
                onClick={() => setSettings(moveColumn(settings, ids, id, 1))}
              >
                <Icon name="arrow-right" size={14} />
              </ActionIcon>
            </Group>
          </Group>
        )
      })}
    </Stack>
  )
}
