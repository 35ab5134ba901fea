import { ApiProblem } from '@custodia/client'
import type { RoleInput, StoredRole } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Text } from '@mantine/core'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { peopleApi } from '../../api/access-api.ts'
import { api } from '../../api/api.ts'
import { callQuery, getKey } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import { DeleteButton } from '../../ui/act-button.tsx'
import { visible } from '../../ui/visible.ts'

/** Maximum people named; others are counted. */
const NAMED = 10

/** Holders of a role as of their last sign-in. */
export function Holders({ role }: { role: string }) {
  const { data } = useQuery({
    queryKey: getKey('listPeople', 'holders', role),
    queryFn: async ({ signal }) => {
      const [page, total] = await Promise.all([
        peopleApi.listPeople({ query: { role, limit: NAMED } }, { signal }),
        peopleApi.listPeople({ query: { role, type: 'total' } }, { signal }),
      ])
      const names = page.data.map(({ display_name, user_reference }) =>
        visible(display_name ?? user_reference),
      )
      return { names, count: total.total }
    },
    enabled: useMay()('people:list'),
  })
  if (data === undefined) return null
  const { names, count } = data
  const more = count - names.length
  const list = names.join(', ')
  return (
    <Text mt="xs" size="sm">
      {count === 0 ? (
        <Trans>No person has this role.</Trans>
      ) : (
        <>
          <Plural value={count} one="# person has this role:" other="# people have this role:" />{' '}
          <strong>{list}</strong>
          {more > 0 && <Plural value={more} one=" and # more" other=" and # more" />}
        </>
      )}
    </Text>
  )
}

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
          <Trans>
            Account settings, a person, an app, a transfer or support access uses this role. Replace it there
            first.
          </Trans>
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

/** A role for editing, read once: it must not change during the edit. */
export const roleQuery = (role_reference: string) =>
  queryOptions({
    ...callQuery(api, 'readRole', { params: { role_reference } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

/** Cache time of a preview in milliseconds: groups and other roles change rarely. */
const REVIEW_FRESH_MS = 30_000

/** Preview of a role: matches and reach. */
export const roleReviewQuery = (role_reference: string, body: RoleInput) =>
  queryOptions({
    ...callQuery(api, 'reviewRole', { params: { role_reference }, body }),
    staleTime: REVIEW_FRESH_MS,
    placeholderData: keepPreviousData,
  })
