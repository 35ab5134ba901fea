import type { DeviceCommand } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Stack, Text, Timeline } from '@mantine/core'
import { OwnerFacts } from '../../components/devices/owners.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { NotLoaded, type PreviewProps } from '../../components/record-preview.tsx'
import {
  COMMAND_FAILURE_WORDS,
  COMMAND_STATE_WORDS,
  COMMAND_WORDS,
} from '../../components/words/device-command-words.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'

/** Preview of a command: parameters and each step. */
export default function CommandPreview({ row }: PreviewProps<DeviceCommand>) {
  const { t, i18n } = useLingui()
  if (!row) return <NotLoaded />
  const { failure, message, params } = row
  return (
    <Stack>
      <Timeline active={3} bulletSize={24} lineWidth={2}>
        {getSteps(row).map(({ state, at, icon, color }) => (
          <Timeline.Item
            key={state}
            color={color}
            bullet={<Icon name={icon} size={13} />}
            title={i18n._(COMMAND_STATE_WORDS[state])}
          >
            <Text size="sm" c="dimmed">
              <Time at={at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {failure !== null && <Text>{i18n._(COMMAND_FAILURE_WORDS[failure])}</Text>}
      {message !== null && (
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          <Trans>Phone response:</Trans> {visible(message)}
        </Text>
      )}
      <Facts title={t`Command`}>
        <Fact label={t`Command`}>{i18n._(COMMAND_WORDS[row.command])}</Fact>
        <Fact label={t`Parameters`}>
          {Object.keys(params).length > 0 && <Code block>{visible(JSON.stringify(params, null, 2))}</Code>}
        </Fact>
        <Fact label={t`Sent by`}>{authorName(row, 'raised_by')}</Fact>
        <OwnerFacts row={row} />
        <Fact label={t`Reference`}>
          <Reference value={row.command_reference} length={28} />
        </Fact>
      </Facts>
    </Stack>
  )
}

interface Step {
  state: DeviceCommand['state']
  at: number
  icon: IconName
  color: string
}

/** Steps so far: device reports, or their absence. */
function getSteps({ state, sent_at, acknowledged_at, completed_at }: DeviceCommand): Step[] {
  const steps: Step[] = [{ state: 'Sent', at: sent_at, icon: 'arrow-up', color: 'gray' }]
  if (acknowledged_at !== null)
    steps.push({ state: 'Acknowledged', at: acknowledged_at, icon: 'eye', color: 'cyan' })
  if (completed_at !== null)
    steps.push({ state, at: completed_at, ...(state === 'Failed' ? FAILED : COMPLETED) })
  return steps
}

const COMPLETED = { icon: 'check', color: 'teal' } as const
const FAILED = { icon: 'warning', color: 'red' } as const
