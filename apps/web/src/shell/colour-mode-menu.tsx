import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ActionIcon, type MantineColorScheme, Menu, Tooltip, useMantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from '../ui/icon.tsx'

/** The colour modes in the order of the menu. */
export const COLOUR_MODES: readonly { mode: MantineColorScheme; label: MessageDescriptor; icon: IconName }[] =
  [
    { mode: 'auto', label: msg`Like the system`, icon: 'system' },
    { mode: 'light', label: msg`Light`, icon: 'sun' },
    { mode: 'dark', label: msg`Dark`, icon: 'moon' },
  ]

export function ColourModeMenu() {
  const { t, i18n } = useLingui()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const current = COLOUR_MODES.find(({ mode }) => mode === colorScheme)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Tooltip label={t`Colour mode`}>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={t`Colour mode`}>
            <Icon name={current?.icon ?? 'system'} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {COLOUR_MODES.map(({ mode, label, icon }) => (
          <Menu.Item
            key={mode}
            role="menuitemradio"
            aria-checked={colorScheme === mode}
            leftSection={<Icon name={icon} size={16} />}
            rightSection={colorScheme === mode ? <Icon name="check" size={14} /> : null}
            onClick={() => setColorScheme(mode)}
          >
            {i18n._(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
