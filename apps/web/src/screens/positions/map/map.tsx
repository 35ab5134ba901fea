import type { Locale } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Alert, useComputedColorScheme } from '@mantine/core'
import type { GeoJSON } from 'geojson'
import type { GeoJSONSource, LngLatBoundsLike, Map as MapLibreMap, StyleSpecification } from 'maplibre-gl'
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import { loadBasemap } from './basemap.ts'
import { MAP_COLOURS } from './colours.ts'
import { type MapContent, offlineStyle, PLACE_FONT, type Streets, withContent, withTiles } from './style.ts'
import classes from './map.module.css'

/** West, south, east, north in degrees. */
export type Bounds = [west: number, south: number, east: number, north: number]
/** The whole map without the polar regions. */
const WHOLE_MAP: Bounds = [-160, -55, 175, 70]
/** Pixels around what is shown: the buttons are right and the scale is at the bottom. */
const MARGIN = { top: 48, right: 64, bottom: 72, left: 48 }
/** Zoom of a single place. */
const CLOSE = 15

/** Where the map moves to; a new object moves it again. */
export interface Focus {
  longitude: number
  latitude: number
  /** Unchanged: the zoom stays, and the map moves at once. */
  zoom?: number
}

interface MapProps {
  label: string
  /** Shown at first, and on change. */
  fit?: Bounds | undefined
  content: MapContent
  /** Data by source. */
  data: Readonly<Record<string, GeoJSON>>
  focus?: Focus | undefined
  streets?: Streets | undefined
  /** Properties of a clicked feature. */
  onPick?: (properties: Readonly<Record<string, unknown>>) => void
  children?: ReactNode
}

/** A map controlled by mouse, touch, arrow keys and buttons. Land, borders and names are local. */
export function MapView({
  label,
  fit = WHOLE_MAP,
  content,
  data,
  focus,
  streets,
  onPick,
  children,
}: MapProps) {
  const frame = useRef<HTMLDivElement>(null)
  const { map, hasFailed } = useMap(frame, label)
  const { style, hasStreets } = useStyle(map, content, streets)
  useBasemap(map, style)
  useSources(map, style, data)
  useFocus(map, focus)
  const shown = fit.join(' ')
  const refit = () =>
    map?.fitBounds(fit as LngLatBoundsLike, { padding: MARGIN, maxZoom: CLOSE, duration: 0 })
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- equal bounds do not move the map again
  useEffect(() => void refit(), [map, shown])
  useClicks(map, content, onPick)
  if (hasFailed)
    return (
      <Alert color="yellow">
        <Trans>This browser cannot draw maps because WebGL is missing. The list has the same facts.</Trans>
      </Alert>
    )
  return (
    <div className={classes.map}>
      <div ref={frame} className={classes.frame} />
      {map && <ZoomButtons onZoom={(by) => map.zoomTo(map.getZoom() + by)} onFit={refit} />}
      <p className={classes.credit}>
        {streets && hasStreets ? streets.attribution : 'Natural Earth · GeoNames (CC BY 4.0)'}
      </p>
      {streets && !hasStreets && (
        <p className={classes.notice}>
          <Trans>Streets could not be loaded.</Trans>
        </p>
      )}
      {children}
    </div>
  )
}

/** The map, once its library is loaded. */
function useMap(frame: RefObject<HTMLDivElement | null>, label: string) {
  const [map, setMap] = useState<MapLibreMap>()
  const [hasFailed, setFailed] = useState(false)
  const named = useRef(label)
  useEffect(() => {
    let made: MapLibreMap | undefined
    let isWanted = true
    const start = async () => {
      const { createMap } = await import('./create-map.ts')
      if (!isWanted || !frame.current) return
      made = createMap(frame.current, named.current)
      // A tile that cannot be loaded leaves the rest of the map; nothing else needs a report.
      made.on('error', () => undefined)
      made.on('idle', () => made?.getContainer().setAttribute('data-drawn', 'yes'))
      setMap(made)
    }
    start().catch(() => isWanted && setFailed(true))
    return () => {
      isWanted = false
      made?.remove()
      setMap(undefined)
    }
  }, [frame])
  return { map, hasFailed }
}

/** Gives the map its style in the theme's colours; the number changes with each loaded style. */
function useStyle(map: MapLibreMap | undefined, content: MapContent, streets: Streets | undefined) {
  const { i18n } = useLingui()
  const scheme = useComputedColorScheme('light')
  const [loaded, setLoaded] = useState(0)
  const [hasStreets, setStreets] = useState(true)
  useEffect(() => {
    if (!map) return
    let isWanted = true
    const colours = MAP_COLOURS[scheme]
    const onLoad = () => setLoaded((count) => count + 1)
    // The map waits for it: icons added after a style's load come too late for some of its tiles.
    map.setMissingStyleImageResolver(async (name) => {
      const { addIcon } = await import('./create-map.ts')
      addIcon(map, name, colours)
    })
    const offline = offlineStyle(colours)
    const show = (base: StyleSpecification) =>
      isWanted && map.setStyle(withContent(base, content, colours), { diff: false })
    map.on('style.load', onLoad)
    getStyle(streets, { offline, scheme, language: i18n.locale.slice(0, 2) }).then(show, () => {
      setStreets(false)
      show(offline)
    })
    return () => {
      isWanted = false
      map.off('style.load', onLoad)
    }
  }, [map, content, scheme, streets, i18n.locale])
  return { style: loaded, hasStreets }
}

/** The style with streets, or the offline one. Throws where the streets cannot be loaded. */
async function getStyle(
  streets: Streets | undefined,
  look: { offline: StyleSpecification; scheme: 'light' | 'dark'; language: string },
): Promise<StyleSpecification> {
  if (!streets) return look.offline
  const { source, address } = streets
  if (source === 'tiles') return withTiles(look.offline, { tiles: [address] })
  if (source === 'style') {
    const answer = await fetch(address)
    if (!answer.ok) throw new Error(`the style answered ${answer.status}`)
    return (await answer.json()) as StyleSpecification
  }
  const [{ addProtocol }, { hasVectors, loadTile, vectorStyle }] = await Promise.all([
    import('./create-map.ts'),
    import('./pmtiles-style.ts'),
  ])
  addProtocol('pmtiles', loadTile)
  const url = `pmtiles://${address}`
  return (await hasVectors(address))
    ? vectorStyle(url, { ...look, font: PLACE_FONT })
    : withTiles(look.offline, { url })
}

/** Fills the sources of the offline map. On failure what the page draws is shown without it; the next map retries. */
function useBasemap(map: MapLibreMap | undefined, style: number): void {
  const { i18n } = useLingui()
  const locale: Locale = i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB'
  useEffect(() => {
    if (!map || style === 0) return
    let isWanted = true
    loadBasemap(locale).then(
      (basemap) => {
        if (isWanted) for (const [id, each] of Object.entries(basemap)) setData(map, id, each)
      },
      () => undefined,
    )
    return () => {
      isWanted = false
    }
  }, [map, style, locale])
}

/** Gives each source its data, after a change only the changed ones. */
function useSources(map: MapLibreMap | undefined, style: number, data: MapProps['data']): void {
  const drawn = useRef<{ style: number; data: MapProps['data'] }>({ style: 0, data: {} })
  useEffect(() => {
    if (!map || style === 0) return
    const before = drawn.current.style === style ? drawn.current.data : {}
    for (const [id, each] of Object.entries(data)) if (before[id] !== each) setData(map, id, each)
    drawn.current = { style, data }
  }, [map, style, data])
}

function setData(map: MapLibreMap, id: string, data: GeoJSON): void {
  void map.getSource<GeoJSONSource>(id)?.setData(data)
}

function useFocus(map: MapLibreMap | undefined, focus: Focus | undefined): void {
  useEffect(() => {
    if (!map || !focus) return
    const { longitude, latitude, zoom } = focus
    if (zoom === undefined) map.jumpTo({ center: [longitude, latitude] })
    else map.flyTo({ center: [longitude, latitude], zoom: Math.max(zoom, map.getZoom()) })
  }, [map, focus])
}

/** A click on a group zooms in until it splits; one on a feature is handed over. */
function useClicks(
  map: MapLibreMap | undefined,
  { clickable }: MapContent,
  onPick: MapProps['onPick'],
): void {
  const latest = useRef(onPick)
  useEffect(() => {
    latest.current = onPick
  })
  const layers = useMemo(() => [...(clickable ?? [])], [clickable])
  useEffect(() => {
    if (!map || layers.length === 0) return
    const subscriptions = [
      map.on('click', layers, ({ features }) => {
        const [feature] = features ?? []
        if (feature?.geometry.type !== 'Point') return
        if (feature.properties.cluster !== true) return latest.current?.(feature.properties)
        const [longitude = 0, latitude = 0] = feature.geometry.coordinates
        void map
          .getSource<GeoJSONSource>(feature.source)
          ?.getClusterExpansionZoom(Number(feature.properties.cluster_id))
          .then((zoom) => map.easeTo({ center: [longitude, latitude], zoom }))
      }),
      map.on('mouseenter', layers, () => (map.getCanvas().style.cursor = 'pointer')),
      map.on('mouseleave', layers, () => (map.getCanvas().style.cursor = '')),
    ]
    return () => {
      for (const each of subscriptions) each.unsubscribe()
    }
  }, [map, layers])
}

function ZoomButtons({ onZoom, onFit }: { onZoom: (by: 1 | -1) => void; onFit: () => void }) {
  const { t } = useLingui()
  return (
    <div className={classes.buttons}>
      <ActionIcon variant="default" aria-label={t`Zoom in`} onClick={() => onZoom(1)}>
        <Icon name="plus" />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t`Zoom out`} onClick={() => onZoom(-1)}>
        <Icon name="minus" />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={t`Show all`} onClick={onFit}>
        <Icon name="arrows-out" />
      </ActionIcon>
    </div>
  )
}
