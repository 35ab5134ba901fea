import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { noticeFailure } from '../../api/notices.ts'
import { signOut } from '../../api/sign-in.ts'
import { endSupportMode } from '../../api/support-mode.ts'
import { useProfile } from '../../api/use-profile.ts'
import type { Area } from '../area.ts'
import type { Command } from './command.ts'

/** Menu pages and shell commands. */
export function useCommands(area: Area, onShortcuts: () => void): readonly Command[] {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const { actions, support, is_provider } = useProfile()
  const otherArea: Command =
    area.home === '/internal'
      ? {
          id: 'own',
          label: t`The provider’s own account`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/dashboard' }),
        }
      : {
          id: 'internal',
          label: t`Provider area`,
          icon: 'arrow-right',
          go: () => navigate({ to: '/internal' }),
        }
  const endSupport: Command = {
    id: 'end-support',
    label: t`End support mode`,
    icon: 'lifebuoy',
    go: () => endSupportMode().catch(noticeFailure),
  }
  return [
    ...area.menuFor(actions).map(({ to, label, icon }): Command => ({
      id: to,
      label: i18n._(label),
      icon,
      go: () => navigate({ to }),
    })),
    ...(support === null ? [] : [endSupport]),
    ...(is_provider && support === null ? [otherArea] : []),
    { id: 'shortcuts', label: t`Keyboard shortcuts`, icon: 'keyboard', go: onShortcuts },
    { id: 'sign-out', label: t`Sign out`, icon: 'sign-out', go: signOut },
  ]
}
