import { type DataRequest, REQUEST_WARNING_DAYS } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Badge, Text } from '@mantine/core'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { STATE_WORDS } from './request-words.ts'

const LOOKS = {
  Open: { color: 'blue', icon: 'clock' },
  Answered: { color: 'teal', icon: 'check' },
  Refused: { color: 'orange', icon: 'x' },
  Withdrawn: { color: 'gray', icon: 'minus' },
} as const satisfies Record<DataRequest['state'], { color: string; icon: IconName }>

/** State of a request. */
export function RequestState({ request: { state } }: { request: Pick<DataRequest, 'state'> }) {
  const { color, icon } = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon name={icon} size={13} />}>
      <SpecWord value={state} words={STATE_WORDS} />
    </Badge>
  )
}

/** Due date; an open request that is due soon or overdue is highlighted. */
export function DueAt({ request: { state, due_at } }: { request: Pick<DataRequest, 'state' | 'due_at'> }) {
  const now = useNow()
  if (due_at === null)
    return (
      <Text span inherit c="dimmed">
        <Trans>without undue delay</Trans>
      </Text>
    )
  const left = due_at - now
  if (state !== 'Open' || left > REQUEST_WARNING_DAYS * 86_400) return <Time at={due_at} style="day" />
  return (
    <Text span inherit c="red" fw={600}>
      <Time at={due_at} style="day" />
      {left < 0 && (
        <>
          {' · '}
          <Trans>overdue</Trans>
        </>
      )}
    </Text>
  )
}
