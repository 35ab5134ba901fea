import { FAILURES, type Payload, type PayloadSummary } from '@custodia/contract'
import { hasData, obstacleTo } from '@custodia/domain/can'
import { useLingui } from '@lingui/react/macro'
import { Alert, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { noticeDone } from '../../api/notices.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import type { Neighbours } from '../../components/lists/list-definition.ts'
import { GroupName } from '../../components/names.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { shownLocale } from '../../i18n/i18n.ts'
import { Icon } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { formatDuration } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { visible } from '../../ui/visible.ts'
import { ownerText } from './owner-text.ts'
import { partyText } from './party-text.ts'
import { StateBadge } from './payload-badges.tsx'
import { DIRECTION_STYLES, FlagsCell } from './payload-cells.tsx'
import { beginDraftHere, useDraft } from './player/draft.ts'
import { dropPlaybackRequest } from './player/pending-playback.ts'
import { usePlayOn } from './player/use-play-on.ts'
import { payloadQuery, readAhead } from './queries.ts'
import { screenService, SERVICES } from './services.ts'
import classes from './payload-preview.module.css'

const MarksBar = lazy(() => import('./actions/marks-bar.tsx').then(({ MarksBar }) => ({ default: MarksBar })))
const CommentForm = lazy(async () => ({
  default: (await import('./comments/comment-form.tsx')).CommentForm,
}))
const Contents = lazy(() => import('./contents.tsx'))
const Player = lazy(() => import('./player/player.tsx').then(({ Player }) => ({ default: Player })))

/** Facts of a payload in the preview: at once from the row, complete after the read. */
export default function PayloadPreview({
  rowKey,
  row,
  neighbours,
}: PreviewProps<PayloadSummary> & { neighbours: Neighbours<PayloadSummary> }) {
  const { payload_types } = useProfile()
  const likely = neighbours.likely.join()
  const { isSuccess } = useQuery({ ...payloadQuery(rowKey), enabled: false })
  useEffect(() => {
    // Never before the recording itself.
    if (isSuccess && likely !== '') void readAhead(likely.split(','))
  }, [isSuccess, likely])
  usePlayOn(rowKey, {
    find: async () => {
      const next = neighbours.next((each) => obstacleTo(each, payload_types) === undefined)
      return next && { payload_reference: next.key, passed: next.passed }
    },
    show: neighbours.show,
  })
  return (
    <RecordPreview row={row} query={payloadQuery(rowKey)} action="payloads:read">
      {(payload, whole) => <Preview payload={payload} whole={whole} />}
    </RecordPreview>
  )
}

function Preview({ payload, whole }: { payload: PayloadSummary; whole: Payload | undefined }) {
  const { payload_types } = useProfile()
  const may = useMay()
  const service = screenService(payload.payload_type)
  const hasSound = service !== undefined && SERVICES[service].hasSound
  const { payload_reference } = payload
  const { isPending } = useQuery({ ...payloadQuery(payload_reference), enabled: false })
  // The row knows as much, so that its facts do not move when the player comes.
  const isExpected = whole !== undefined || (isPending && may('payloads:read'))
  const isHeard = hasSound && isExpected && obstacleTo(whole ?? payload, payload_types) === undefined
  const isSilent = whole !== undefined && !isHeard
  useEffect(() => {
    return isSilent ? dropPlaybackRequest(payload_reference) : undefined
  }, [isSilent, payload_reference])
  return (
    <>
      <div className={classes.marks}>
        <StateBadge state={payload.payload_state} />
        <FlagsCell row={payload} />
      </div>
      {payload.failure !== undefined && (
        <Alert color="red" icon={<Icon name="alert-circle" />} p="sm">
          {FAILURES[payload.failure][shownLocale()]}
        </Alert>
      )}
      {isHeard && (whole === undefined ? <Skeleton h={PLAYER_HEIGHT} /> : <Heard payload={whole} />)}
      {isExpected && service !== undefined && may('payloads.marks:list') && (
        <Suspense fallback={<Skeleton h={MARKS_HEIGHT} />}>
          {whole === undefined ? <Skeleton h={MARKS_HEIGHT} /> : <MarksBar payload={whole} />}
        </Suspense>
      )}
      {whole !== undefined && may('payloads.comments:create') && <Comment payload={whole} />}
      {payload.payload_type === 'Diagnostics' && whole !== undefined && hasData(whole) && (
        <Suspense fallback={<Skeleton h={120} />}>
          <Contents payload={whole} />
        </Suspense>
      )}
      <WhoFacts payload={payload} />
      <WhenFacts payload={payload} isHeard={isHeard} />
      <WhatFacts payload={payload} whole={whole} />
    </>
  )
}

/** The form for a new comment, which the key C opens next to the list. */
function Comment({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const { payload_reference } = payload
  const draft = useDraft(payload_reference)
  useSingleKeys({ c: () => beginDraftHere(payload_reference) })
  if (draft === undefined || draft.comment_id !== undefined || draft.in_reply_to !== undefined) return null
  return (
    <Suspense fallback={<Skeleton h={180} />}>
      <CommentForm payload={payload} draft={draft} onSaved={() => noticeDone(t`Comment saved`)} />
    </Suspense>
  )
}

function WhoFacts({ payload }: { payload: PayloadSummary }) {
  const { i18n, t } = useLingui()
  const parties = payload.parties ?? []
  const hidden = (payload.party_count ?? parties.length) - parties.length
  return (
    <Facts title={t`Who`}>
      {parties.length > 0 && (
        <Fact label={t`Parties`}>
          <ul className={classes.parties}>
            {parties.map((party, index) => (
              <li key={index}>
                <strong>{partyText(party, i18n)}</strong>
                {party.contact_name && party.phone_number !== null && (
                  <span> {visible(party.phone_number)}</span>
                )}
              </li>
            ))}
            {hidden > 0 && <li>{t`${hidden} more`}</li>}
          </ul>
        </Fact>
      )}
      <Fact label={t`Direction`}>
        {payload.direction && i18n._(DIRECTION_STYLES[payload.direction].word)}
      </Fact>
      <Fact label={t`Device user`}>
        {payload.device_user_reference === null ? (
          t`None`
        ) : (
          <span title={visible(payload.device_user_reference)}>{ownerText(payload)}</span>
        )}
      </Fact>
      <Fact label={t`Group`}>
        <GroupName group={payload.group} />
      </Fact>
    </Facts>
  )
}

function WhenFacts({ payload, isHeard }: { payload: PayloadSummary; isHeard: boolean }) {
  const { i18n, t } = useLingui()
  return (
    <Facts title={t`When`}>
      <Fact label={t({ context: 'when', message: 'Recorded' })}>
        <Time at={payload.payload_time} zone={payload.timezone} secondary style="second" />
      </Fact>
      {/* The player shows it, where there is one. */}
      <Fact label={t`Duration`}>
        {!isHeard && payload.duration !== undefined && formatDuration(payload.duration)}
      </Fact>
      <Fact label={t`Characters`}>{payload.length !== undefined && i18n.number(payload.length)}</Fact>
      <Fact label={t`Uploaded`}>
        {payload.uploaded_at && <Time at={payload.uploaded_at} style="second" />}
      </Fact>
      <Fact label={t`Processed`}>
        {payload.processed_at && <Time at={payload.processed_at} style="second" />}
      </Fact>
    </Facts>
  )
}

function WhatFacts({ payload, whole }: { payload: PayloadSummary; whole: Payload | undefined }) {
  const { t } = useLingui()
  return (
    <Facts title={t`What`}>
      <Fact label={t`Type`}>
        <SpecWord value={payload.payload_type} words={PAYLOAD_TYPE_WORDS} />
      </Fact>
      <Fact label={t`Reason for blocking`}>{payload.reason_for_blocking}</Fact>
      <Fact label={t`Notes`}>{payload.notes}</Fact>
      <Fact label={t`Device`}>{payload.device_model && visible(payload.device_model)}</Fact>
      <Fact label={t`Device reference`}>
        <Reference value={payload.device_reference} length={24} />
      </Fact>
      <Fact label={t`Reference`}>
        <Reference value={payload.payload_reference} length={20} />
      </Fact>
      <Fact label={t`Checksum`}>{whole?.checksum && <Reference value={whole.checksum} length={20} />}</Fact>
    </Facts>
  )
}

/** Pixels of a player and of the marks in a panel of the usual width, until they are drawn: facts do not move. */
const [PLAYER_HEIGHT, MARKS_HEIGHT] = [317, 119]

const Heard = ({ payload }: { payload: Payload }) => (
  <Suspense fallback={<Skeleton h={PLAYER_HEIGHT} />}>
    <Player payload={payload} isBrief />
  </Suspense>
)
