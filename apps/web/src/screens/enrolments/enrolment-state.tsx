import type { EnrolmentState } from '@custodia/contract'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { ENROLMENT_STATE_WORDS } from '../../components/words/device-enrolment-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'

const LOOKS = {
  open: { color: 'cyan', icon: 'clock' },
  used: { color: 'teal', icon: 'check' },
  expired: { color: 'gray', icon: 'x' },
  revoked: { color: 'gray', icon: 'lock' },
} as const satisfies Record<EnrolmentState, { color: string; icon: IconName }>

/** State of an enrolment as icon, word and colour. */
export function EnrolmentStateBadge({ state }: { state: EnrolmentState }) {
  const look = LOOKS[state]
  return (
    <Badge color={look.color} leftSection={<Icon name={look.icon} size={13} />}>
      <SpecWord value={state} words={ENROLMENT_STATE_WORDS} />
    </Badge>
  )
}
