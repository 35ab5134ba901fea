import { useLingui } from '@lingui/react/macro'
import { openSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { signOut } from '../api/sign-in.ts'
import { useProfile } from '../api/use-profile.ts'
import { menuFor } from '../navigation.ts'
import { Icon } from '../ui/icon.tsx'

/** Ctrl+K: every page of the menu and the few commands of the shell, by name. Opens with each new wish. */
export default function CommandMenu({ wishes, onShortcuts }: { wishes: number; onShortcuts: () => void }) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const pages = menuFor(useProfile().actions)
  useEffect(openSpotlight, [wishes])

  const actions: SpotlightActionData[] = [
    ...pages.map((page) => ({
      id: page.to,
      label: i18n._(page.label),
      leftSection: <Icon name={page.icon} />,
      onClick: () => void navigate({ to: page.to }),
    })),
    {
      id: 'shortcuts',
      label: t`Keyboard shortcuts`,
      leftSection: <Icon name="keyboard" />,
      onClick: onShortcuts,
    },
    {
      id: 'sign-out',
      label: t`Sign out`,
      leftSection: <Icon name="sign-out" />,
      onClick: () => void signOut(),
    },
  ]
  return (
    <Spotlight
      actions={actions}
      shortcut={null}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      nothingFound={t`Nothing found`}
      highlightQuery
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: t`Where to?`,
        'aria-label': t`Where to?`,
      }}
    />
  )
}
