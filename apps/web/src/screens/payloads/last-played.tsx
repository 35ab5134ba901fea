import { Trans } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { Time } from '../../ui/time.tsx'
import { auditQuery } from './queries.ts'

/** Last listener, or none, for users who may read its audit. */
export function LastPlayed({ reference }: { reference: string }) {
  const may = useMay()('payloads.audit:read')
  const { data } = useQuery({ ...auditQuery(reference), enabled: may })
  if (data === undefined) return null
  const last = data.records.find(({ action }) => action === 'payloads:play')
  if (last === undefined) return <Trans>Not played yet</Trans>
  const who = last.portal_user
  return (
    <span>
      <Trans>Last played by {who}</Trans>, <Time at={last.time} />
    </span>
  )
}
