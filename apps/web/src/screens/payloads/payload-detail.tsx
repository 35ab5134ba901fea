import type { Payload, PayloadMeta } from '@custodia/contract'
import { type Obstacle, obstacleTo } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, Box, Card, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { Fragment, lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useState } from 'react'
import { isNotFound } from '../../api/failure-text.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { HeldBadge } from '../../components/cells.tsx'
import { DeviceLink } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { withTexts } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageAct } from '../../ui/page-act.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Reference } from '../../ui/reference.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { useSpaceBar } from '../../ui/use-keys.ts'
import { visible } from '../../ui/visible.ts'
import { HoldAct } from '../legal-holds/hold-act.tsx'
import { MarksBar } from './actions/marks-bar.tsx'
import { LeftToReview, useNextUnmarked } from './actions/next-unmarked.tsx'
import { DetailTabs } from './detail-tabs.tsx'
import { DownloadButton } from './download-button.tsx'
import { ProcessingFacts } from './facts-processing.tsx'
import { WhenFacts } from './facts-when.tsx'
import { WhereFacts } from './facts-where.tsx'
import { WhoFacts } from './facts-who.tsx'
import { ownerText } from './owner-text.ts'
import { PAYLOAD_TYPE_STYLES, StateBadge } from './payload-badges.tsx'
import { getMeta } from './payload-fields.ts'
import { togglePlayback } from './player/pending-playback.ts'
import { usePlayOn } from './player/use-play-on.ts'
import { auditQuery, payloadQuery, readAhead } from './queries.ts'
import { QueueButtons } from './queue-buttons.tsx'
import { RetentionLine } from './retention-line.tsx'
import { followers } from './review-queue.ts'
import { getDetail, type ScreenService, screenService, SERVICES } from './services.ts'
import { getTimeWarnings } from './time-warnings.ts'
import classes from './payload.module.css'

const PrintRecord = lazy(() => withTexts('lazy', import('./print-record.tsx')))

/** Flags of a payload: implausible times, late upload, migrated, legal hold. */
export function Flags({
  payload,
}: {
  payload: Pick<Payload, 'time_warnings' | 'is_held' | 'is_late' | 'is_legacy' | 'listed_at'>
}) {
  return (
    <>
      {getTimeWarnings(payload).length > 0 && (
        <Badge color="orange" leftSection={<Icon name="warning" size={13} />}>
          <Trans>Uncertain time</Trans>
        </Badge>
      )}
      {payload.is_late && (
        <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
          <Trans>Late</Trans>
        </Badge>
      )}
      {payload.is_legacy && (
        <Badge color="indigo" leftSection={<Icon name="archive" size={13} />}>
          <Trans>Legacy</Trans>
        </Badge>
      )}
      <HeldBadge is_held={payload.is_held} />
    </>
  )
}

/** Header of a payload: person, type, time, state and actions. */
function DetailHeader(props: { payload: Payload; service: ScreenService; obstacle: Obstacle | undefined }) {
  const { i18n } = useLingui()
  const { payload, obstacle } = props
  const { getName, hasSound } = SERVICES[props.service]
  const look = PAYLOAD_TYPE_STYLES[payload.payload_type]
  return (
    <PageHeader
      title={getName(payload, i18n)}
      aside={
        <Group gap={6} component="span">
          <StateBadge state={payload.payload_state} />
          <Flags payload={payload} />
        </Group>
      }
      description={
        <>
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
          <RetentionLine payload={payload} />
        </>
      }
      actions={
        // Buttons rather than a menu: its code would cost this page four requests. Their state ends with the recording.
        <Fragment key={payload.payload_reference}>
          <DownloadButton payload={payload} obstacle={obstacle} />
          <PrintRecordAct payload={payload} />
          {payload.device_user_reference !== null && (
            <HoldAct
              subject={{
                target_type: 'DeviceUser',
                target: payload.device_user_reference,
                name: ownerText(payload),
              }}
            />
          )}
        </Fragment>
      }
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
  const who = last.name ?? last.portal_user
  return (
    <span>
      <Trans>Last played by {who}</Trans>, <Time at={last.time} />
    </span>
  )
}

/** Recordings of the list whose facts and waveform are prefetched. */
const READ_AHEAD = 2

/** Microphone names from the device report (spec section 3). */
const SOURCES = { MIC: <Trans>Microphone</Trans>, BT: 'Bluetooth', HEADSET: <Trans>Headset</Trans> } as const

function DeviceFacts({ payload, meta }: { payload: Payload; meta: PayloadMeta | undefined }) {
  const { t } = useLingui()
  const call = meta !== undefined && 'second_parties' in meta ? meta : undefined
  return (
    <Facts title={t`Device`} isPart>
      <Fact label={t`Device`}>
        {payload.device_model && (
          <DeviceLink device_reference={payload.device_reference}>{visible(payload.device_model)}</DeviceLink>
        )}
      </Fact>
      <Fact label={t`Device reference`}>
        <Reference value={payload.device_reference} length={20} />
      </Fact>
      <Fact label={t`Address`}>{payload.device_ip}</Fact>
      {meta?.payload_carrier_metadata?.map(({ slot_index, carrier_name, phone_number }) => (
        <Fact key={slot_index} label={<Trans>SIM {slot_index + 1}</Trans>}>
          {visible([carrier_name, phone_number].filter(Boolean).join(' · '))}
        </Fact>
      ))}
      <Fact label={t`IMEI`}>{meta?.imeis?.join(', ')}</Fact>
      <Fact label={t`IMSI`}>{meta !== undefined && 'imsi' in meta && meta.imsi}</Fact>
      <Fact label={t`Sound from`}>{call?.voice_source && SOURCES[call.voice_source]}</Fact>
      <Fact label={t`Signal`}>{call?.signal_strength}</Fact>
      <Fact label={t`Connection`}>{call?.is_intermittent === true && t`intermittent`}</Fact>
    </Facts>
  )
}

/** The last facts may load later. */
const RetentionFacts = lazy(() => import('./facts-retention.tsx'))

/** Facts of a payload: Who · When · Where · Device · Processing · Retention. Unknown ones are omitted. */
function PayloadFacts({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const meta = getMeta(payload)
  return (
    <Card component="section" aria-label={t`Details`}>
      <Stack gap="lg">
        <WhoFacts payload={payload} meta={meta} />
        <WhenFacts payload={payload} meta={meta} />
        <WhereFacts payload={payload} meta={meta} />
        <DeviceFacts payload={payload} meta={meta} />
        <ProcessingFacts payload={payload} />
        <Suspense>
          <RetentionFacts payload={payload} />
        </Suspense>
      </Stack>
    </Card>
  )
}

const NotFound = lazy(() => withTexts('lazy', import('./payload-not-found.tsx')))

/**
 * Layout of payload pages: header, content at the left, facts at the right, tabs below. Another reference changes header
 * and facts in place, which takes less time than new ones.
 * @param content renders the player, conversation, …; `obstacle` is what blocks the data
 */
export function PayloadDetail({
  reference,
  service,
  hasArrowKeys = false,
  content,
}: {
  reference: string
  service: ScreenService
  /** Arrow keys navigate the list where no player uses them. */
  hasArrowKeys?: boolean
  content: (payload: Payload, obstacle: Obstacle | undefined) => ReactNode
}) {
  const { payload_types } = useProfile()
  const { data: payload, error, refetch } = useQuery(payloadQuery(reference))
  const isThere = payload !== undefined
  const navigate = useNavigate()
  usePlayOn(reference, {
    find: async () => (await import('./next-items.ts')).nextToPlay(reference, payload_types),
    show: (next) => navigate({ ...getDetail(service, next), replace: true, state: true }),
  })
  useEffect(() => {
    // Never before the payload itself.
    if (isThere) void readAhead(followers(reference, READ_AHEAD))
  }, [isThere, reference])

  if (payload === undefined)
    return (
      <>
        <QueueButtons reference={reference} service={service} hasArrowKeys={hasArrowKeys} />
        <MissingDetail reference={reference} service={service} error={error} onRetry={() => void refetch()} />
      </>
    )
  const home = screenService(payload.payload_type)
  if (home === undefined) return <NotFound service={service} />
  // Keeps the time in a shared link.
  if (home !== service) return <Navigate {...getDetail(home, reference)} search hash replace />

  const obstacle = obstacleTo(payload, payload_types)
  return (
    <>
      <QueueButtons reference={reference} service={service} hasArrowKeys={hasArrowKeys} />
      <DetailHeader payload={payload} service={service} obstacle={obstacle} />
      <DetailBody payload={payload} service={service}>
        {() => content(payload, obstacle)}
      </DetailBody>
    </>
  )
}

/** Everything below the header. It renders after the header is painted, which takes a fifth of its time. */
function DetailBody(props: { payload: Payload; service: ScreenService; children: () => ReactNode }) {
  const { payload, service, children } = props
  const may = useMay()
  const isPainted = useDeferredValue(true, false)
  // The tabs of the next recording render after its facts are painted.
  const tabs = useDeferredValue(<DetailTabs payload={payload} />)
  const reference = payload.payload_reference
  if (!isPainted) return <WaitingBody reference={reference} />
  return (
    <div className={classes.detail}>
      <div key={reference} className={classes.content}>
        {children()}
      </div>
      <div className={classes.aside}>
        {may('payloads.marks:list') && <Marks key={reference} payload={payload} service={service} />}
        <PayloadFacts payload={payload} />
      </div>
      <div className={classes.tabs}>{tabs}</div>
    </div>
  )
}

/** Before the payload is there: it loads, it is not found, or the call failed. */
function MissingDetail(props: {
  reference: string
  service: ScreenService
  error: unknown
  onRetry: () => void
}) {
  const { i18n } = useLingui()
  const { reference, service, error } = props
  if (isNotFound(error)) return <NotFound service={service} />
  if (error === null) return <DetailPending reference={reference} />
  return (
    <>
      <PageHeader title={i18n._(SERVICES[service].one)} />
      <ErrorState onRetry={props.onRetry} />
    </>
  )
}

/** Marks, which lead through the list. */
function Marks({ payload, service }: { payload: Payload; service: ScreenService }) {
  const goOn = useNextUnmarked(payload.payload_reference, service)
  return (
    <Box mb="md">
      <MarksBar payload={payload} onMarked={goOn}>
        <LeftToReview service={service} />
      </MarksBar>
    </Box>
  )
}

function DetailPending({ reference }: { reference: string }) {
  return (
    <Stack aria-busy="true">
      <Skeleton h={30} w={300} />
      <Skeleton h={20} w={420} maw="100%" />
      <WaitingBody reference={reference} />
    </Stack>
  )
}

function WaitingBody({ reference }: { reference: string }) {
  // A press before the player loads is kept for it.
  useSpaceBar(() => togglePlayback(reference))
  return (
    <div className={classes.detail} data-pending>
      <Skeleton h={280} className={classes.content} />
      <Skeleton h={420} className={classes.aside} />
    </div>
  )
}

/** Prints a recording as a document: facts and audit log. */
function PrintRecordAct({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const [isPrinting, setPrinting] = useState(false)
  return (
    <>
      <PageAct icon="print" label={t`Print`} onClick={() => setPrinting(true)} />
      {isPrinting && (
        <Suspense>
          <PrintRecord payload={payload} onDone={() => setPrinting(false)} />
        </Suspense>
      )}
    </>
  )
}
