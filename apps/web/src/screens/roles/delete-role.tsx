import { ApiProblem } from '@custodia/client'
import type { StoredRole } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Text } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api/api.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { Holders } from './holders.tsx'

/** Deletes a role after a question; a self-lock-out needs an extra confirmation. */
export function DeleteRole({ role }: { role: StoredRole }) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { role_reference, version } = role
  const [locksOut, setLocksOut] = useState(false)
  const [isConfirmed, setConfirmed] = useState(false)
  return (
    <DeleteButton
      action="roles:delete"
      question={t`Delete the role ${role_reference}?`}
      done={t`Role ${role_reference} deleted`}
      onDelete={async () => {
        try {
          await api.deleteRole(
            { params: { role_reference }, query: isConfirmed ? { confirm_lockout: true } : {} },
            { if_match: version },
          )
        } catch (error) {
          if (error instanceof ApiProblem && error.code === 'locks_out') setLocksOut(true)
          throw error
        }
      }}
      onDeleted={() => void navigate({ to: '/dashboard/access/roles', search: {} })}
      explain={(error) =>
        error instanceof ApiProblem && error.code === 'in_use' ? (
          <Trans>Account defaults or a client app use this role. Replace it there first.</Trans>
        ) : error instanceof ApiProblem && error.code === 'locks_out' ? (
          <Trans>Without this role you can no longer change permissions. Confirm below.</Trans>
        ) : undefined
      }
    >
      <Text>
        <Trans>Its holders lose these permissions at once.</Trans>
      </Text>
      <Holders role={role_reference} />
      {locksOut && (
        <Checkbox
          mt="sm"
          label={t`Remove my own access`}
          checked={isConfirmed}
          onChange={(event) => setConfirmed(event.currentTarget.checked)}
        />
      )}
    </DeleteButton>
  )
}
