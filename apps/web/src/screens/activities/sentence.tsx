import type { LoggedRecording } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment, type MouseEvent, type ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { detailOf, screenService } from '../payloads/services.ts'
import { visible } from '../../ui/visible.ts'
import { listOf, PLACES } from './places.ts'
import { recordingName } from './recording-name.ts'
import { type Activity, sentenceOf, valuesOf } from './sentence.ts'
import { WhichPhone, Who } from './who.tsx'

/** Entry as a sentence with links. `isInRow`: the row is the tab stop. */
export function Sentence({ row, isInRow = false }: { row: Activity; isInRow?: boolean }) {
  const { i18n } = useLingui()
  const may = useMay()
  const values = valuesOf(row.parameters)
  const stated = sentenceOf(row, i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')
  const list = may(row.action) ? listOf(row.action) : undefined
  /** Text of the sentence; links to the list for an entry about one. */
  const words = (text: string): ReactNode => {
    if (list === undefined || text.trim() === '') return text
    const bare = text.trimStart()
    return (
      <>
        {text.slice(0, text.length - bare.length)}
        <PlaceLink to={list} isInRow={isInRow}>
          {bare}
        </PlaceLink>
      </>
    )
  }
  const drawn = (name: string): ReactNode => {
    if (name === 'who') return 'user_id' in row ? <Who row={row} /> : <WhichPhone row={row} />
    if (name === 'payload_reference' && 'recording' in row && row.recording !== null)
      return <RecordingLink recording={row.recording} isInRow={isInRow} />
    const value = values[name]
    if (value === undefined) return '…'
    const place = Object.hasOwn(PLACES, name) ? PLACES[name] : undefined
    return place === undefined || !may(place.action) ? (
      visible(value)
    ) : (
      <PlaceLink to={place.target(value, row.action)} isInRow={isInRow}>
        {visible(value)}
      </PlaceLink>
    )
  }
  return (
    <span>
      {stated.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts of one sentence never move
        <Fragment key={index}>{'text' in part ? words(part.text) : drawn(part.name)}</Fragment>
      ))}
    </span>
  )
}

/** A recording by other party and day, as a link; only its reference without the right to read it. */
export function RecordingLink(props: { recording: LoggedRecording; isInRow?: boolean }) {
  const { i18n } = useLingui()
  const { recording, isInRow = false } = props
  const { payload_reference, seen } = recording
  const service = seen === null ? undefined : screenService(seen.payload_type)
  const name = recordingName(recording, i18n)
  return service === undefined ? (
    <span title={payload_reference}>{name}</span>
  ) : (
    <PlaceLink to={detailOf(service, payload_reference)} isInRow={isInRow} title={payload_reference}>
      {name}
    </PlaceLink>
  )
}

/** A click on the link must not reach the row. */
const exclusively = (event: MouseEvent) => event.stopPropagation()

const PlaceLink = (props: { to: LinkTarget; isInRow: boolean; title?: string; children: ReactNode }) => (
  <Anchor
    underline="always"
    inherit
    title={props.title}
    tabIndex={props.isInRow ? -1 : undefined}
    renderRoot={(rest) => <Link {...rest} {...props.to} onClick={exclusively} />}
  >
    {props.children}
  </Anchor>
)
