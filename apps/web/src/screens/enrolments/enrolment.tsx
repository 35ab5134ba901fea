import type { Enrolment, EnrolmentState } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { repeatedQuery } from '../../api/call-keys.ts'
import { fleetApi } from '../../api/fleet-api.ts'
import { type BadgeStyles, WordBadge, type Words } from '../../components/words/spec-word.tsx'

export const ENROLMENT_STATE_WORDS: Words<EnrolmentState> = {
  open: msg({ context: 'enrolment', message: 'Invited' }),
  opened: msg({ context: 'enrolment', message: 'Link opened' }),
  used: msg({ context: 'enrolment', message: 'Enrolled' }),
  expired: msg({ context: 'enrolment', message: 'Expired' }),
  revoked: msg({ context: 'enrolment', message: 'Revoked' }),
}

/** A roll-out invites no single person. */
const BULK_STATE_WORDS: Words<EnrolmentState> = {
  ...ENROLMENT_STATE_WORDS,
  open: msg({ context: 'enrolment', message: 'Open' }),
  used: msg({ context: 'enrolment', message: 'Used' }),
}

const STYLES: BadgeStyles<EnrolmentState> = {
  open: { color: 'gray', icon: 'clock' },
  opened: { color: 'cyan', icon: 'eye' },
  used: { color: 'teal', icon: 'check' },
  expired: { color: 'gray', icon: 'x' },
  revoked: { color: 'gray', icon: 'lock' },
}

/** State of an enrolment as icon, word and colour. */
export function EnrolmentStateBadge({
  enrolment: { device_user_reference, enrolment_state },
}: {
  enrolment: Pick<Enrolment, 'device_user_reference' | 'enrolment_state'>
}) {
  return (
    <WordBadge
      value={enrolment_state}
      words={device_user_reference === null ? BULK_STATE_WORDS : ENROLMENT_STATE_WORDS}
      styles={STYLES}
    />
  )
}

/** An enrolment, for its preview and while its device is expected. */
export const enrolmentQuery = (enrolment_reference: string) =>
  repeatedQuery(fleetApi, 'readEnrolment', { params: { enrolment_reference } })
