import type { Enrolment } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { fleetApi } from '../../api/fleet-api.ts'
import { ActButton } from '../../ui/act-button.tsx'

/** Revokes an open enrolment, for permitted users. */
export function RevokeButton({
  enrolment: { enrolment_reference },
}: {
  enrolment: Pick<Enrolment, 'enrolment_reference'>
}) {
  const { t } = useLingui()
  return (
    <ActButton
      action="devices.enrolments:delete"
      icon="x"
      label={t({ context: 'enrolment', message: 'Revoke' })}
      question={t`Revoke this enrolment?`}
      done={t`Enrolment revoked`}
      onAct={() => fleetApi.revokeEnrolment({ params: { enrolment_reference }, query: {} })}
    >
      <Trans>No further phones can enrol with it. Enrolled phones stay.</Trans>
    </ActButton>
  )
}
