import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Anchor, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { roleDescription } from '../../components/words/role-words.ts'

/** Labels of the preset system roles. */
const PRESETS = [
  { role_reference: 'Compliance Reviewer', word: msg({ context: 'role', message: 'Reviewer' }) },
  { role_reference: 'Compliance Manager', word: msg({ context: 'role', message: 'Supervisor' }) },
  { role_reference: 'Auditor', word: msg({ context: 'role', message: 'Auditor' }) },
  { role_reference: 'Account Administrator', word: msg({ context: 'role', message: 'Administrator' }) },
  {
    role_reference: 'Fleet Administrator',
    word: msg({ context: 'role', message: 'Administrator of phones' }),
  },
] as const

/** Presets of a new role, each a copy of a system role. */
export function Presets() {
  const { i18n, t } = useLingui()
  return (
    <Group component="nav" gap="sm" aria-label={t`Start from the role`}>
      <span>
        <Trans>Start from the role</Trans>
      </span>
      {PRESETS.map(({ role_reference, word }) => (
        <Anchor
          key={role_reference}
          underline="always"
          title={`${role_reference}: ${roleDescription({ role_reference, is_system: true }, i18n)}`}
          renderRoot={(rest) => (
            <Link {...rest} to="/dashboard/access/roles/create" search={{ from: role_reference }} />
          )}
        >
          {i18n._(word)}
        </Anchor>
      ))}
    </Group>
  )
}
