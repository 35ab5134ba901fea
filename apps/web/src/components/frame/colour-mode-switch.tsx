import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ActionIcon, type MantineColorScheme, useMantineColorScheme } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'

interface ColourMode {
  mode: MantineColorScheme
  label: MessageDescriptor
  icon: IconName
}

const LIKE_SYSTEM: ColourMode = { mode: 'auto', label: msg`System`, icon: 'system' }

/** Colour modes in switching order. */
export const COLOUR_MODES: readonly ColourMode[] = [
  LIKE_SYSTEM,
  { mode: 'light', label: msg`Light`, icon: 'sun' },
  { mode: 'dark', label: msg`Dark`, icon: 'moon' },
]

/** Shows the colour mode and switches to the next. */
export function ColourModeSwitch() {
  const { t, i18n } = useLingui()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const index = COLOUR_MODES.findIndex(({ mode }) => mode === colorScheme)
  const current = COLOUR_MODES[index] ?? LIKE_SYSTEM
  const next = COLOUR_MODES[(index + 1) % COLOUR_MODES.length] ?? LIKE_SYSTEM
  const name = i18n._(current.label)
  const label = t`Colour mode: ${name}`
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(next.mode)}
    >
      <Icon name={current.icon} />
    </ActionIcon>
  )
}
