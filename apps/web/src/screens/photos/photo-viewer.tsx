import type { Payload } from '@custodia/contract'
import { obstacleTo } from '@custodia/domain/can'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Alert, Button, Card, Group, Modal, Skeleton, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Dispatch, type PointerEvent, type SetStateAction, useEffect, useRef, useState } from 'react'
import { getKey } from '../../api/call-keys.ts'
import { useFailureText } from '../../api/failure-text.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { Hint } from '../../ui/hint.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Time } from '../../ui/time.tsx'
import { useDialog } from '../../ui/use-focus.ts'
import { MODAL, useSingleKeys } from '../../ui/use-keys.ts'
import { visible } from '../../ui/visible.ts'
import { MARK_STYLES } from '../payloads/actions/marks.ts'
import { askDataAddress, DataRefusal } from '../payloads/data-address.ts'
import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { photoTitle } from '../payloads/party-text.ts'
import { PayloadDetail } from '../payloads/payload-detail.tsx'
import { noteHeard, payloadQuery } from '../payloads/queries.ts'
import { Steps, useQueueSteps } from '../payloads/queue-buttons.tsx'
import { REFUSALS } from '../payloads/refusals.ts'
import { FIT, moved, type Size, turned, type View, whole, zoomed, getZoom } from './view.ts'
import classes from './photos.module.css'

/** Data URL of the photo, requested once when the page opens: the audited act. */
const photoQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: getKey('readPayloadData', payload_reference),
    queryFn: () => askDataAddress(payload_reference, 'play'),
    staleTime: Number.POSITIVE_INFINITY,
    // The URL lives a minute; a later visit requests a new one.
    gcTime: 0,
    retry: false,
    // The page tells why.
    meta: { silent: true },
  })

/** Photo viewer: opening the page is audited. Rotation and zoom affect the view only. */
function PhotoViewer({ payload, onEnlarge }: { payload: Payload; onEnlarge?: (() => void) | undefined }) {
  const { t } = useLingui()
  return (
    <Card component="section" aria-label={t`Photo`} padding="sm">
      {/* In the lightbox meanwhile. */}
      {onEnlarge === undefined ? (
        <div className={`${classes.frame} ${classes.pending}`} />
      ) : (
        <PhotoContent payload={payload} onEnlarge={onEnlarge} />
      )}
      <Text size="xs" c="dimmed" mt="xs" data-not-printed>
        <Trans>The audit log records opening and downloading a photo.</Trans>
      </Text>
    </Card>
  )
}

/** The photo, or why it cannot be shown. */
function PhotoContent({ payload, onEnlarge }: { payload: Payload; onEnlarge?: () => void }) {
  const { t, i18n } = useLingui()
  const may = useMay()('payloads:play')
  const failureText = useFailureText()
  const { payload_reference } = payload
  const { data: src, error, refetch } = useQuery({ ...photoQuery(payload_reference), enabled: may })
  const [isBroken, setBroken] = useState(false)
  return (
    <>
      {!may ? (
        <Text c="dimmed">
          <Trans>You need the permission payloads:play.</Trans>
        </Text>
      ) : error !== null || isBroken ? (
        <Alert
          color="red"
          icon={<Icon name="alert-circle" />}
          title={t`The photo cannot be shown`}
          role="alert"
        >
          <Group justify="space-between">
            <Text flex="1 1 240px">
              {isBroken ? (
                <Trans>The browser cannot show it. Download the original.</Trans>
              ) : error instanceof DataRefusal ? (
                i18n._(REFUSALS[error.status])
              ) : (
                failureText(error)
              )}
            </Text>
            <Button
              size="xs"
              variant="outline"
              color="red"
              onClick={() => {
                setBroken(false)
                void refetch()
              }}
            >
              <Trans>Retry</Trans>
            </Button>
          </Group>
        </Alert>
      ) : src === undefined ? (
        <Skeleton className={`${classes.frame} ${classes.pending}`} />
      ) : (
        <Photo
          src={src}
          name={payload.notes === undefined ? photoTitle(payload, i18n) : visible(payload.notes)}
          onBroken={() => setBroken(true)}
          onShown={() => noteHeard(payload_reference)}
          onEnlarge={onEnlarge}
        />
      )}
    </>
  )
}

function Photo(props: {
  src: string
  name: string
  onBroken: () => void
  onShown: () => void
  onEnlarge: (() => void) | undefined
}) {
  const { i18n } = useLingui()
  const { ref: measured, width, height } = useElementSize<HTMLDivElement>()
  const frame: Size = { width, height }
  const [photo, setPhoto] = useState<Size>({ width: 0, height: 0 })
  const [view, setView] = useState<View>(FIT)
  const zoom = getZoom(view, photo, frame)
  const acts = useActs(view, setView, photo, frame, props.onEnlarge)
  const { element, ...drag } = usePanAndZoom(setView, photo, frame)
  const percent = i18n.number(zoom, { style: 'percent', maximumFractionDigits: 0 })
  return (
    <>
      <div ref={measured} className={classes.place}>
        <div ref={element} className={classes.frame} {...drag}>
          <img
            className={classes.photo}
            src={props.src}
            alt={props.name}
            draggable={false}
            style={{
              width: photo.width * zoom || undefined,
              transform: `translate(-50%, -50%) translate(${view.x}px, ${view.y}px) rotate(${view.turns * 90}deg)`,
            }}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
              setPhoto({ width: naturalWidth, height: naturalHeight })
              props.onShown()
            }}
            onError={props.onBroken}
          />
        </div>
      </div>
      <Group gap="xs" mt="sm">
        {acts.map(({ key, label, icon, act }) => (
          <Hint key={key} label={label}>
            <ActionIcon size={36} variant="default" aria-label={label} onClick={act}>
              <Icon name={icon} size={18} />
            </ActionIcon>
          </Hint>
        ))}
        <Text component="output" size="sm" c="dimmed" className="tabular" data-not-printed>
          {percent}
        </Text>
      </Group>
    </>
  )
}

type SetView = Dispatch<SetStateAction<View>>

/** Buttons of the viewer, each with its key. */
function useActs(view: View, setView: SetView, photo: Size, frame: Size, onEnlarge?: () => void) {
  const { t } = useLingui()
  const acts: { key: string; label: string; icon: IconName; act: () => void }[] = [
    { key: '+', label: t`Zoom in (+)`, icon: 'plus', act: () => setView(zoomed(view, 1, photo, frame)) },
    { key: '-', label: t`Zoom out (−)`, icon: 'minus', act: () => setView(zoomed(view, -1, photo, frame)) },
    {
      key: '0',
      label: t`Fit to window (0)`,
      icon: 'image',
      act: () => setView({ ...FIT, turns: view.turns }),
    },
    {
      key: '1',
      label: t`Actual size (1)`,
      icon: 'search',
      act: () => setView(whole(view, photo, frame)),
    },
    { key: 't', label: t`Rotate (T)`, icon: 'refresh', act: () => setView(turned(view)) },
    ...(onEnlarge
      ? [{ key: 'v', label: t`Full screen (V)`, icon: 'arrows-out' as const, act: onEnlarge }]
      : []),
  ]
  useSingleKeys({
    ...Object.fromEntries(acts.map(({ key, act }) => [key, act])),
    '=': () => setView(zoomed(view, 1, photo, frame)),
  })
  return acts
}

/** Drags the photo, and zooms it with Ctrl and the wheel. */
function usePanAndZoom(setView: SetView, photo: Size, frame: Size) {
  const element = useRef<HTMLDivElement>(null)
  const [held, setHeld] = useState<{ x: number; y: number }>()
  useEffect(() => {
    const node = element.current
    if (node === null) return undefined
    const onWheel = (event: WheelEvent) => {
      // The wheel scrolls the page; with Ctrl it zooms at the pointer.
      if (!event.ctrlKey) return
      event.preventDefault()
      setView((before) => zoomed(before, event.deltaY < 0 ? 1 : -1, photo, frame))
    }
    node.addEventListener('wheel', onWheel, { passive: false })
    return () => node.removeEventListener('wheel', onWheel)
  })
  return {
    element,
    'data-held': held !== undefined || undefined,
    onPointerDown: (event: PointerEvent) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setHeld({ x: event.clientX, y: event.clientY })
    },
    onPointerMove: ({ clientX: x, clientY: y }: PointerEvent) => {
      if (held === undefined) return
      setView((before) => moved(before, x - held.x, y - held.y, photo, frame))
      setHeld({ x, y })
    },
    onPointerUp: () => setHeld(undefined),
    onPointerCancel: () => setHeld(undefined),
  }
}

/** The photo over the whole window. The keys of its page stay: next and previous, marks, comment. */
function Lightbox({ reference, onClose }: { reference: string; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const { payload_types } = useProfile()
  const { data: payload } = useQuery(payloadQuery(reference))
  const { place, goOn, goBack } = useQueueSteps(reference, 'photos')
  const close = useDialog(onClose)
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key } = event
      if (!['Escape', 'v', 'c'].includes(key) || event.ctrlKey || event.altKey || event.metaKey) return
      // A dialog above closes on Escape before this; the page below must not leave as well.
      if (key !== 'Escape' && document.querySelector(MODAL) !== null) return
      // The page below writes the comment.
      if (key !== 'c') event.preventDefault()
      close()
    }
    document.addEventListener('keydown', onKeyDown, { capture: true })
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true })
  })
  const obstacle = payload && obstacleTo(payload, payload_types)
  const mark = payload?.review?.mark
  return (
    <Modal.Root opened fullScreen onClose={onClose} closeOnEscape={false} transitionProps={{ duration: 0 }}>
      <Modal.Content data-page-keys aria-label={t`Photo`}>
        <Modal.Body>
          <Group justify="space-between" mb="sm">
            <Text component="output" size="sm">
              {payload && (
                <>
                  <strong>{photoTitle(payload, i18n)}</strong> ·{' '}
                  <Time at={payload.payload_time} zone={payload.timezone} />
                  {mark && ` · ${i18n._(MARK_STYLES[mark].word)}`}
                </>
              )}
            </Text>
            <Group gap="xs">
              {place !== undefined && <Steps place={place} onNext={goOn} onPrevious={goBack} />}
              <Modal.CloseButton aria-label={t`Close`} size={32} />
            </Group>
          </Group>
          <div className={classes.large}>
            {payload === undefined ? (
              <Skeleton className={classes.frame} />
            ) : obstacle === undefined ? (
              <PhotoContent key={reference} payload={payload} />
            ) : (
              <ObstaclePanel payload={payload} obstacle={obstacle} />
            )}
          </div>
          {payload?.notes !== undefined && <Text mt="xs">{visible(payload.notes)}</Text>}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Page of a photo: viewer, or why it is unavailable. The lightbox stays open from photo to photo. */
export function PhotoDetail({ reference }: { reference: string }) {
  const [isLarge, setLarge] = useState(false)
  // Also while the photo loads.
  useSingleKeys({ v: () => setLarge(true) })
  return (
    <>
      <PayloadDetail
        key={reference}
        reference={reference}
        service="photos"
        hasArrowKeys
        content={(payload, obstacle) =>
          obstacle === undefined ? (
            <PhotoViewer payload={payload} onEnlarge={isLarge ? undefined : () => setLarge(true)} />
          ) : (
            <ObstaclePanel payload={payload} obstacle={obstacle} />
          )
        }
      />
      {isLarge && <Lightbox reference={reference} onClose={() => setLarge(false)} />}
    </>
  )
}
