import type { Payload } from '@custodia/contract'
import type { Obstacle } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Group, Text } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { PAYLOAD_TYPE_LOOKS } from '../../components/payload-type.tsx'
import { Reference } from '../../ui/reference.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { DownloadButton } from './download-button.tsx'
import { Flags } from './flags.tsx'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../api/use-profile.ts'
import { auditQuery } from './queries.ts'
import { type ScreenService, SERVICES } from './services.ts'

/** Header of a payload: person, type, time, state and actions. */
export function DetailHeader(props: {
  payload: Payload
  service: ScreenService
  obstacle: Obstacle | undefined
}) {
  const { i18n } = useLingui()
  const { payload, obstacle } = props
  const { nameOf, hasSound } = SERVICES[props.service]
  const look = PAYLOAD_TYPE_LOOKS[payload.payload_type]
  return (
    <PageHeader
      title={nameOf(payload, i18n)}
      aside={
        <Group gap={6} component="span">
          <StateBadge state={payload.payload_state} />
          <Flags payload={payload} />
        </Group>
      }
      description={
        <Group gap="4px 16px">
          <Group gap={6} wrap="nowrap">
            <Icon name={look.icon} size={16} />
            <Text span fw={600}>
              {i18n._(look.word)}
            </Text>
          </Group>
          <Time at={payload.payload_time} zone={payload.timezone} />
          {payload.duration !== undefined && (
            <Text span className="tabular">
              {formatDuration(payload.duration)}
            </Text>
          )}
          <Reference value={payload.payload_reference} />
          {hasSound && obstacle === undefined && <LastPlayed reference={payload.payload_reference} />}
        </Group>
      }
      actions={<DownloadButton payload={payload} obstacle={obstacle} />}
    />
  )
}

/** Last listener, or none, for users who may read its audit. */
function LastPlayed({ reference }: { reference: string }) {
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
