import { useLingui } from '@lingui/react/macro'
import { ActionIcon } from '@mantine/core'
import { Hint } from '../../ui/hint.tsx'
import { Icon } from '../../ui/icon.tsx'

/** Switches between table and tiles. */
export function ViewModeSwitch({
  look,
  setLook,
}: {
  look: 'table' | 'tiles'
  setLook: (look: 'table' | 'tiles') => void
}) {
  const { t } = useLingui()
  const label = look === 'tiles' ? t`Show as a table` : t`Show as tiles`
  return (
    <Hint label={label}>
      <ActionIcon
        size={32}
        variant="default"
        aria-label={label}
        onClick={() => setLook(look === 'tiles' ? 'table' : 'tiles')}
      >
        <Icon name={look === 'tiles' ? 'menu' : 'dashboard'} size={16} />
      </ActionIcon>
    </Hint>
  )
}
