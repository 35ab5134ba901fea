import type { Payload } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Alert, Button, Card, Group, Skeleton, Text } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { type Dispatch, type PointerEvent, type SetStateAction, useEffect, useRef, useState } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { noteHeard } from '../payloads/queries.ts'
import { Hint } from '../../ui/hint.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { keyOf } from '../../api/call-keys.ts'
import { askDataAddress } from '../payloads/data-address.ts'
import classes from './photos.module.css'
import { FIT, moved, type Size, turned, type View, whole, zoomed, zoomOf } from './view.ts'
import { ObstaclePanel } from '../payloads/obstacle-panel.tsx'
import { PayloadDetail } from '../payloads/payload-detail.tsx'

/** Data URL of the photo, requested once when the page opens: the audited act. */
const photoQuery = (payload_reference: string) =>
  queryOptions({
    queryKey: keyOf('readPayloadData', payload_reference),
    queryFn: () => askDataAddress(payload_reference, 'play'),
    staleTime: Number.POSITIVE_INFINITY,
    // The URL lives a minute; a later visit requests a new one.
    gcTime: 0,
    retry: false,
  })

/** Photo viewer: opening the page is audited. Rotation and zoom affect the view only. */
function PhotoViewer({ payload }: { payload: Payload }) {
  const { t } = useLingui()
  const may = useMay()('payloads:play')
  const { payload_reference } = payload
  const { data: src, error, refetch } = useQuery({ ...photoQuery(payload_reference), enabled: may })
  const [isBroken, setBroken] = useState(false)
  return (
    <Card component="section" aria-label={t`Photo`} padding="sm">
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
              ) : (
                <Trans>The data could not be fetched.</Trans>
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
        <Skeleton className={classes.frame} />
      ) : (
        <Photo
          src={src}
          name={t`Photo`}
          onBroken={() => setBroken(true)}
          onShown={() => noteHeard(payload_reference)}
        />
      )}
      <Text size="xs" c="dimmed" mt="xs">
        <Trans>The audit log records opening and downloading a photo.</Trans>
      </Text>
    </Card>
  )
}

function Photo(props: { src: string; name: string; onBroken: () => void; onShown: () => void }) {
  const { i18n } = useLingui()
  const { ref: measured, width, height } = useElementSize<HTMLDivElement>()
  const frame: Size = { width, height }
  const [photo, setPhoto] = useState<Size>({ width: 0, height: 0 })
  const [view, setView] = useState<View>(FIT)
  const zoom = zoomOf(view, photo, frame)
  const acts = useActs(view, setView, photo, frame)
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
        <Text component="output" size="sm" c="dimmed" className="tabular">
          {percent}
        </Text>
      </Group>
    </>
  )
}

type SetView = Dispatch<SetStateAction<View>>

/** Buttons of the viewer, each with its key. */
function useActs(view: View, setView: SetView, photo: Size, frame: Size) {
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
    { key: 'r', label: t`Rotate (R)`, icon: 'refresh', act: () => setView(turned(view)) },
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

/** Page of a photo: viewer, or why it is unavailable. */
export function PhotoDetail({ reference }: { reference: string }) {
  return (
    <PayloadDetail
      key={reference}
      reference={reference}
      service="photos"
      hasArrowKeys
      content={(payload, obstacle) =>
        obstacle === undefined ? (
          <PhotoViewer payload={payload} />
        ) : (
          <ObstaclePanel payload={payload} obstacle={obstacle} />
        )
      }
    />
  )
}
