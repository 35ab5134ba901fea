import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Group, Kbd, Modal, Stack, Switch, VisuallyHidden } from '@mantine/core'
import { Fact, Facts } from '../components/facts.tsx'
import { Icon } from '../ui/icon.tsx'
import { useDialog } from '../ui/use-focus.ts'
import { useSingleKeysEnabled } from '../ui/use-keys.ts'
import { KEY_WORDS, SHORTCUTS } from './shortcuts.ts'

/** Drawn key symbols: the portal's fonts lack them. */
const ARROWS = {
  ArrowLeft: { icon: 'arrow-left', word: msg`Left arrow` },
  ArrowRight: { icon: 'arrow-right', word: msg`Right arrow` },
  ArrowDown: { icon: 'arrow-down', word: msg`Down arrow` },
} as const

function Arrow({ name }: { name: keyof typeof ARROWS }) {
  const { i18n } = useLingui()
  const { icon, word } = ARROWS[name]
  return (
    <>
      <Icon name={icon} size={12} />
      <VisuallyHidden>{i18n._(word)}</VisuallyHidden>
    </>
  )
}

/** Shortcut help (`?`), with the switch that turns off single keys (WCAG 2.1.4). */
export default function ShortcutsSheet({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  const close = useDialog(onClose)
  const [singleKeys, setSingleKeys] = useSingleKeysEnabled()
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={t`Keyboard shortcuts`}
      closeButtonProps={{ 'aria-label': t`Close` }}
    >
      <Stack gap="lg">
        {SHORTCUTS.map((group) => (
          <Facts key={group.title.id} title={i18n._(group.title)}>
            {group.shortcuts.map((shortcut) => (
              <Fact
                key={shortcut.does.id}
                label={
                  <Group component="span" gap={4}>
                    {shortcut.keys.map((key) => (
                      <Kbd key={key} style={{ whiteSpace: 'nowrap' }}>
                        {key in ARROWS ? (
                          <Arrow name={key as keyof typeof ARROWS} />
                        ) : KEY_WORDS[key] ? (
                          i18n._(KEY_WORDS[key])
                        ) : (
                          key
                        )}
                      </Kbd>
                    ))}
                  </Group>
                }
              >
                {i18n._(shortcut.does)}
              </Fact>
            ))}
          </Facts>
        ))}
        <Switch
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
          label={t`Single-key shortcuts`}
          description={t`Switch off if single letters must not trigger actions, for example with speech input.`}
        />
      </Stack>
    </Modal>
  )
}
