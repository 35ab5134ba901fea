import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import {
  lazy,
  type ReactNode,
  startTransition,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { useFailureText } from '../../../api/failure-text.ts'
import { useMay, useProfile } from '../../../api/use-profile.ts'
import { PAYLOAD_TYPE_WORDS } from '../../../components/words/payload-words.ts'
import { Icon } from '../../../ui/icon.tsx'
import { formatDuration } from '../../../ui/time-format.ts'
import { useSingleKeys, useSpaceBar } from '../../../ui/use-keys.ts'
import { askDataAddress, DataRefusal } from '../data-address.ts'
import { getMeta } from '../payload-fields.ts'
import { refreshAudit } from '../queries.ts'
import { REFUSALS } from '../refusals.ts'
import { headedFor } from '../review-queue.ts'
import { Controls, ControlsPending } from './controls.tsx'
import { meanPart } from './draft.ts'
import { HeardLane } from './heard-lane.tsx'
import { interviewPauses, partyLanes, WAVE_HEIGHT } from './lanes.ts'
import { followListener } from './listener.ts'
import { useMoment } from './moment.ts'
import { PartyLanes } from './party-lanes.tsx'
import { PauseGaps, PauseList } from './pause-lane.tsx'
import { onPlaybackRequest, togglePlayback } from './pending-playback.ts'
import { MediaFailure, nextSpeed, type Playback, type PlaybackView, storeSpeed } from './playback.ts'
import { SeekBar } from './seek-bar.tsx'
import { getDuration } from './times.ts'
import { SKIP_SILENCE_KEY, usePlayback, usePlaybackView } from './use-playback.ts'
import { usePlayedParts } from './use-played-parts.ts'
import { usePlayhead } from './use-playhead.ts'
import { useWave, WavePlace } from './wave-place.tsx'
import classes from './player.module.css'

const film = () => import('./film.tsx')
const Screen = lazy(async () => ({ default: (await film()).Screen }))
const FilmControls = lazy(async () => ({ default: (await film()).FilmControls }))
const StoppedLine = lazy(() => import('./stopped-line.tsx'))
const comments = () => import('../comments/comment-lane.tsx')
const CommentMarks = lazy(async () => ({ default: (await comments()).CommentMarks }))
const CommentLane = lazy(async () => ({ default: (await comments()).CommentLane }))

/**
 * Player of a call, interview or video. Data loads on play only.
 * @param isBrief next to a list: no extra facts, and J and L stay with the list
 */
export function Player({ payload, isBrief = false }: { payload: Payload; isBrief?: boolean }) {
  const { i18n } = useLingui()
  const { payload_reference } = payload
  const ask = useCallback(() => askDataAddress(payload_reference, 'play'), [payload_reference])
  const { history } = useRouter()
  const isOpening = () => isBrief && history.location.pathname.endsWith(`/${payload_reference}`)
  const duration = payload.media?.duration ?? payload.duration ?? 0
  const [attach, playing] = usePlayback(payload_reference, duration, ask, isOpening)
  // Facts show first: reviewers read hundreds, and play few.
  const drawn = useAfterPaint(playing)
  const waiting = <PreparingPlayer payload_reference={payload_reference} isBrief={isBrief} />
  const isFilm = payload.payload_type === 'Video'
  return (
    <Card
      component="section"
      aria-label={i18n._(PAYLOAD_TYPE_WORDS[payload.payload_type])}
      padding={isBrief ? 'sm' : 'md'}
      className={classes.player}
    >
      {isFilm ? (
        <Suspense fallback={<div className={classes.screen} />}>
          <Screen attach={attach} payload={payload} onPress={playing?.playback.toggle} />
        </Suspense>
      ) : (
        <div ref={attach} hidden />
      )}
      {/* The media element stays visible during suspense: hiding it would unmount and remount it endlessly. */}
      <Suspense fallback={waiting}>
        {drawn === undefined || drawn !== playing ? (
          waiting
        ) : (
          <Panel {...drawn} payload={payload} isBrief={isBrief} />
        )}
      </Suspense>
    </Card>
  )
}

/** Milliseconds until a page counts as painted: a hidden one never is, and sound goes on in it. */
const PAINTED_WITHIN_MS = 100

/** The value after the paint that follows its change; undefined before the first. */
function useAfterPaint<T>(value: T | undefined): T | undefined {
  const [painted, setPainted] = useState<T>()
  useEffect(() => {
    const show = () => startTransition(() => setPainted(value))
    let timer = setTimeout(show, PAINTED_WITHIN_MS)
    const frame = requestAnimationFrame(() => {
      clearTimeout(timer)
      timer = setTimeout(show)
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [value])
  return painted
}

/** The space bar before the player loads starts playback. */
function PreparingPlayer({ payload_reference, isBrief }: { payload_reference: string; isBrief: boolean }) {
  const may = useMay()
  const request = () => togglePlayback(payload_reference)
  useSpaceBar(may('payloads:play') ? request : undefined)
  return (
    <Skeleton pt={isBrief ? WAVE_HEIGHT + 51 : WAVE_HEIGHT + 118}>
      <ControlsPending isBrief={isBrief} />
    </Skeleton>
  )
}

interface PanelProps {
  media: HTMLMediaElement
  playback: Playback
  payload: Payload
  isBrief: boolean
}

function Panel({ media, playback, payload, isBrief }: PanelProps) {
  const disabled = !useMay()('payloads:play')
  const view = usePlaybackView(playback)
  const length = view.duration
  const wave = useWave(payload, media, !disabled)
  const silences = wave.peaks?.silences
  useEffect(() => playback.setSilences(silences ?? []), [playback, silences])
  const isPlaying = view.phase === 'playing'
  const { stopped, heard, onSpace, ...acts } = usePanel({ playback, payload, isBrief, disabled, isPlaying })
  usePlayerKeys(playback, { ...acts, onSpace, isDisabled: disabled, isBrief })
  return (
    <Stack gap="sm">
      <Timeline
        {...{ playback, payload, view, isBrief, disabled }}
        wave={<WavePlace wave={wave} playback={playback} length={length} />}
        isBare={wave.phase !== 'ready'}
        heard={heard}
      />
      {stopped !== undefined && !disabled && (
        <Suspense fallback={<div className={classes.stopped} />}>
          <StoppedLine stopped={stopped} playback={playback} phase={view.phase} />
        </Suspense>
      )}
      <Controls {...{ playback, view, disabled, isBrief, ...acts }} hasSilences={(silences?.length ?? 0) > 0}>
        {media instanceof HTMLVideoElement && (
          <Suspense>
            <FilmControls
              {...{ playback, view, disabled, isBrief }}
              film={media}
              rate={payload.media?.frame_rate}
            />
          </Suspense>
        )}
      </Controls>
      {view.phase === 'failed' && <PlaybackFailure failure={view.failure} onRetry={playback.play} />}
      {!isBrief && <Parties payload={payload} length={length} />}
      <Notes payload={payload} length={length} isBrief={isBrief} disabled={disabled} />
    </Stack>
  )
}

/** What the user's buttons and keys do, and what the server learns of the playback. */
function usePanel({
  playback,
  payload,
  isBrief,
  disabled,
  isPlaying,
}: Omit<PanelProps, 'media'> & { disabled: boolean; isPlaying: boolean }) {
  const { payload_reference } = payload
  const moment = useMoment(payload_reference)
  const onSpeed = (speed: number) => {
    playback.setSpeed(speed)
    storeSpeed(localStorage, speed)
  }
  const onSkipSilence = () => {
    const skips = !playback.view().skipsSilence
    playback.setSkipsSilence(skips)
    localStorage.setItem(SKIP_SILENCE_KEY, String(skips))
  }
  const [playsOn, setPlaysOn] = usePlaysOn()
  useFollowListener(payload_reference, playback, playsOn && !disabled)
  const onPlaysOn = () => setPlaysOn((before) => !before)
  const stopped = usePlayhead(playback, payload, isBrief ? undefined : moment)
  useEffect(() => {
    if (disabled) return undefined
    return onPlaybackRequest(payload_reference, playback)
  }, [playback, disabled, payload_reference])
  useEffect(() => {
    if (!isBrief && moment !== undefined) playback.seek(moment)
  }, [playback, isBrief, moment])
  const heard = usePlayedParts(playback, payload, !disabled)
  // The server audits the first byte of each URL.
  useEffect(() => {
    if (isPlaying) refreshAudit(payload_reference)
  }, [isPlaying, payload_reference])
  const { history } = useRouter()
  const onSpace = useCallback(() => {
    const headed = isBrief ? payload_reference : headedFor(history, payload_reference)
    // A navigation in progress means the next recording: playing this one would record a false listening.
    if (headed === payload_reference) playback.toggle()
    else togglePlayback(headed)
  }, [playback, payload_reference, isBrief, history])
  return { stopped, heard, playsOn, onSpace, onSpeed, onSkipSilence, onPlaysOn }
}

/** The wave with everything that lies along the time of the recording. */
function Timeline({
  playback,
  payload,
  view,
  isBrief,
  disabled,
  wave,
  isBare,
  heard,
}: Omit<PanelProps, 'media'> & {
  view: PlaybackView
  disabled: boolean
  wave: ReactNode
  /** No wave is drawn. */
  isBare: boolean
  heard: ReturnType<typeof usePlayedParts>
}) {
  const may = useMay()
  const { payload_reference } = payload
  const showsComments = !isBrief && may('payloads.comments:list')
  const length = view.duration
  const pauses = useMemo(() => interviewPauses(getMeta(payload), length), [payload, length])
  return (
    <>
      {/* On paper a time line without its wave says nothing. */}
      <div data-not-printed={isBare || undefined}>
        <SeekBar
          {...{ playback, view, disabled }}
          stated={getDuration(payload, length).seconds}
          onMean={
            showsComments && may('payloads.comments:create')
              ? (part) => meanPart(payload_reference, part)
              : undefined
          }
        >
          {wave}
          <PauseGaps pauses={pauses} length={length} isBare={isBare} />
          <HeardLane payload_reference={payload_reference} mine={heard} length={length} />
          {showsComments && (
            <Suspense>
              <CommentMarks payload_reference={payload_reference} length={length} />
            </Suspense>
          )}
        </SeekBar>
      </div>
      {showsComments && (
        <Suspense>
          <CommentLane payload_reference={payload_reference} length={length} />
        </Suspense>
      )}
      {!isBrief && <PauseList pauses={pauses} playback={playback} />}
    </>
  )
}

function Parties({ payload, length }: { payload: Payload; length: number }) {
  const lanes = useMemo(() => partyLanes(getMeta(payload), length), [payload, length])
  return <PartyLanes lanes={lanes} length={length} />
}

function Notes(props: { payload: Payload; length: number; isBrief: boolean; disabled: boolean }) {
  const { payload, isBrief, disabled } = props
  const stated = formatDuration(payload.duration ?? 0)
  return (
    <>
      {getDuration(payload, props.length).isOther && (
        <Note>
          <Trans>Duration reported by the phone: {stated}.</Trans>
        </Note>
      )}
      {disabled ? (
        <Note>
          <Trans>You need the permission payloads:play.</Trans>
        </Note>
      ) : (
        !isBrief && (
          <div data-not-printed>
            <Note>
              <Trans>The audit log records playback and downloads.</Trans>
            </Note>
          </div>
        )
      )}
    </>
  )
}

const Note = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="dimmed">
    {children}
  </Text>
)

/** Autoplay setting, per user of this browser; off by default. */
function usePlaysOn() {
  const { client, user_reference } = useProfile()
  return useLocalStorage({
    key: `custodia.plays_on.${client}.${user_reference}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
}

/** Tracks playback while `isOn`. */
function useFollowListener(payload_reference: string, playback: Playback, isOn: boolean): void {
  useEffect(
    () => (isOn ? followListener(payload_reference, playback) : undefined),
    [payload_reference, playback, isOn],
  )
}

/** Player keys: space, P, arrows, J and L, 0, [ and ], s, a. Next to a list P, J and L are the list's. */
function usePlayerKeys(
  playback: Playback,
  commands: {
    onSpace: () => void
    onSpeed: (speed: number) => void
    onSkipSilence: () => void
    onPlaysOn: () => void
    isDisabled: boolean
    isBrief: boolean
  },
): void {
  const { isDisabled, isBrief, onSpace, onSpeed, onSkipSilence, onPlaysOn } = commands
  useSingleKeys(
    isDisabled
      ? {}
      : {
          ArrowLeft: () => playback.skip(-5),
          ArrowRight: () => playback.skip(5),
          ...(!isBrief && { p: onSpace, j: () => playback.skip(-10), l: () => playback.skip(10) }),
          '[': () => onSpeed(nextSpeed(playback.view().speed, -1)),
          ']': () => onSpeed(nextSpeed(playback.view().speed, 1)),
          s: onSkipSilence,
          a: onPlaysOn,
          '0': () => playback.seek(0),
        },
  )
  useSpaceBar(isDisabled ? undefined : onSpace)
}

function PlaybackFailure({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
  const { i18n } = useLingui()
  const failureText = useFailureText()
  return (
    <Alert
      color="red"
      icon={<Icon name="alert-circle" />}
      title={<Trans>The recording cannot be played</Trans>}
      role="alert"
    >
      <Group justify="space-between">
        <Text flex="1 1 240px">
          {failure instanceof DataRefusal ? (
            i18n._(REFUSALS[failure.status])
          ) : failure instanceof MediaFailure ? (
            <MediaFailureText code={failure.code} />
          ) : (
            failureText(failure)
          )}
        </Text>
        <Button size="xs" variant="outline" color="red" onClick={onRetry}>
          <Trans>Retry</Trans>
        </Button>
      </Group>
    </Alert>
  )
}

function MediaFailureText({ code }: { code: number | undefined }) {
  if (code === 2) return <Trans>The connection was interrupted. Check your network and try again.</Trans>
  return <Trans>The browser cannot decode this recording. Download the original.</Trans>
}
