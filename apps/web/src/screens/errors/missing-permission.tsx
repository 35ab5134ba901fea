import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Paper } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { Fragment, lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { visible } from '../../ui/visible.ts'

// Rarely shown, and long: loads on demand.
const WhatItAllows = lazy(async () => ({
  default: (await import('../../components/words/permission-words.tsx')).WhatItAllows,
}))

function FirstPage(): null {
  const navigate = useNavigate()
  useEffect(() => void navigate({ to: '/dashboard/services/calls', replace: true }), [navigate])
  return null
}

/** The action that a reader lacks, or the service of which the reader may see no payload. */
type MissingRight = { action: string } | { service: string }

/**
 * Shown instead of a page without permission: it names the permission to ask for. Users without a role, or with
 * undefined roles only, see that instead; all see a contact.
 */
export default function MissingPermission({ missing }: { missing: MissingRight }) {
  const { t } = useLingui()
  const { roles, unknown_roles, contact } = useProfile()
  const may = useMay()
  // Readers without a home page begin with the calls.
  if ('action' in missing && missing.action === 'dashboard:read' && may('payloads:list')) return <FirstPage />
  if (roles.length === 0)
    return (
      <ClosedPage title={t`No roles yet`} heading={t`You have no access yet`}>
        <Trans>An account administrator can give you a role.</Trans>
        <Contact contact={contact} />
      </ClosedPage>
    )
  if (roles.length === unknown_roles.length)
    return (
      <ClosedPage title={t`Role not found`} heading={t`Your role does not exist yet`}>
        <Trans>
          Your sign-in names <RoleNames roles={unknown_roles} />, which this account does not have. An
          administrator can create a role with this exact name.
        </Trans>
        <Contact contact={contact} />
      </ClosedPage>
    )
  return (
    <ClosedPage title={t`Permission missing`} heading={t`You have no access to this page`}>
      {'service' in missing ? (
        <Trans>Your roles do not include recordings of this type. Ask an account administrator.</Trans>
      ) : (
        <NeededAction action={missing.action} />
      )}
      {unknown_roles.length > 0 && (
        <p>
          <Trans>
            The account does not have <RoleNames roles={unknown_roles} />, which your sign-in names as well.
          </Trans>
        </p>
      )}
      <Contact contact={contact} />
    </ClosedPage>
  )
}

const NeededAction = ({ action }: { action: string }) => (
  <>
    <Trans>
      You need the permission <Code>{action}</Code>. Ask an account administrator.
    </Trans>{' '}
    <Suspense>
      <WhatItAllows action={action} />
    </Suspense>
  </>
)

function ClosedPage({ title, heading, children }: { title: string; heading: string; children: ReactNode }) {
  return (
    <>
      <PageHeader title={title} />
      <Paper>
        <EmptyState icon="lock" title={heading} description={children} />
      </Paper>
    </>
  )
}

const RoleNames = ({ roles }: { roles: readonly string[] }) =>
  roles.map((role, index) => (
    <Fragment key={role}>
      {index > 0 && ', '}
      <Code>{role}</Code>
    </Fragment>
  ))

/** Contact from the account's defaults. */
function Contact({ contact }: { contact: string | null }) {
  if (contact === null) return null
  return (
    <p>
      <Trans>
        Contact: <strong>{visible(contact)}</strong>
      </Trans>
    </p>
  )
}
