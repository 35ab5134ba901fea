import { useLingui } from '@lingui/react/macro'
import { openSpotlight, Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { noticeFailure } from '../api/notices.ts'
import { signOut } from '../api/sign-in.ts'
import { endSupportMode } from '../api/support-mode.ts'
import { useProfile } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'
import { keepKeys } from '../ui/keep-keys.ts'
import { MODAL } from '../ui/use-single-keys.ts'
import type { Area } from './area.ts'
import { COMMAND_FIELD } from './command-field.ts'
import { findCommands } from './find-commands.ts'
import { useFindings } from './use-findings.tsx'

/** Ctrl+K: every page of the menu and the few commands of the shell, by name, and what is recorded. Opens with each new wish. */
export default function CommandMenu({
  area,
  wishes,
  onShortcuts,
}: {
  area: Area
  wishes: number
  onShortcuts: () => void
}) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const router = useRouter()
  const { actions: allowed, support, is_provider } = useProfile()
  const pages = area.menuFor(allowed)
  useEffect(openSpotlight, [wishes])
  const [query, setQuery] = useState('')
  const findings = useFindings(query, area)

  const otherAreas =
    area.home === '/internal'
      ? [{ id: 'own', label: t`The provider’s own account`, to: '/dashboard' as const }]
      : [{ id: 'internal', label: t`Provider area`, to: '/internal' as const }]
  const actions: SpotlightActionData[] = [
    ...pages.map((page) => ({
      id: page.to as string,
      label: i18n._(page.label),
      leftSection: <Icon name={page.icon} />,
      onClick: () => void navigate({ to: page.to }),
    })),
    ...(support === null
      ? []
      : [
          {
            id: 'end-support',
            label: t`End support mode`,
            leftSection: <Icon name="lifebuoy" />,
            onClick: () => void endSupportMode().catch(noticeFailure),
          },
        ]),
    ...(is_provider && support === null
      ? otherAreas.map(({ id, label, to }) => ({
          id,
          label,
          leftSection: <Icon name="arrow-right" />,
          onClick: () => void navigate({ to }),
        }))
      : []),
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
      onSpotlightClose={() => keepKeys(() => (isSettled(router) ? document.body : undefined))}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
      nothingFound={t`Nothing found`}
      query={query}
      onQueryChange={setQuery}
      filter={(sought) => [...findCommands(sought, actions), ...findings]}
      highlightQuery
      searchProps={{
        leftSection: <Icon name="search" />,
        placeholder: t`Where to?`,
        'aria-label': t`Where to?`,
        id: COMMAND_FIELD,
      }}
    />
  )
}

/** The menu is gone and the page that it led to is there: keys mean that page. */
const isSettled = (router: ReturnType<typeof useRouter>): boolean =>
  router.state.status === 'idle' && document.querySelector(MODAL) === null
