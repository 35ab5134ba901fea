import {
  type DeviceActivity,
  loggedList,
  type LoggedParameters,
  getParameters,
  type PortalActivity,
  recordingsIn,
} from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fragment, type ReactNode } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { TextLink } from '../../components/text-link.tsx'
import { COMMAND_STATE_WORDS, COMMAND_WORDS } from '../../components/words/device-command-words.ts'
import { USER_CHANGE_WORDS } from '../../components/words/device-words.ts'
import { MARK_WORDS } from '../../components/words/payload-words.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { RecordingLink } from '../payloads/recording-link.tsx'
import { getList, PLACES, sessionAt } from './places.ts'
import { type Activity, type COUNTED, getSentence, shortReference, getText } from './sentence.ts'
import classes from './audit.module.css'

/** Reasons for denied or failed calls of another person, by server code. */
export const DENIAL_REASONS: Readonly<Record<string, MessageDescriptor>> = {
  address_expired: msg`Link expired`,
  already_exists: msg`Exists already`,
  authentication_required: msg`Not signed in`,
  breaks_groups: msg`Groups would become invalid`,
  changed_meanwhile: msg`Changed by another user`,
  cookie_reused: msg`Session ended: cookie used twice`,
  device_authentication_required: msg`Device not authenticated`,
  escalation: msg`Permissions beyond own`,
  in_use: msg`Still in use`,
  internal: msg`Server error`,
  invalid_input: msg`Not valid`,
  locks_out: msg`Would remove own access`,
  last_administrator: msg`No administrator would remain`,
  network_not_permitted: msg`Network not permitted`,
  not_found: msg`Not found or not allowed`,
  not_permitted: msg`Permission missing`,
  provider_refused: msg`The identity provider ended the session`,
  session_ended: msg`Session ended`,
  sign_in_refused: msg`Sign-in refused`,
  support_mode_ended: msg`Support access ended`,
  terms_required: msg`Terms not accepted`,
  too_many_requests: msg`Too many requests`,
  unavailable: msg`Service unavailable`,
  wrong_state: msg`Not allowed in this state`,
}

/** The actor, with a mark for provider staff and client apps. */
export const ActorName = ({ row }: { row: PortalActivity }) => (
  <span className={classes.user}>
    <span title={visible(row.user_id)}>{visible(row.names.who ?? row.user_id)}</span>
    {row.support_reference !== null && <SupportBadge reference={row.support_reference} />}
    {row.is_client_app && (
      <span className={classes.badge}>
        <Trans>Client app</Trans>
      </span>
    )}
  </span>
)

/** Mark of support staff; a link to their session for those who may read it. */
const SupportBadge = ({ reference }: { reference: string }) => (
  <TextLink action="supportaccess:read" {...sessionAt(reference)} isInRow>
    <span className={classes.badge} data-kind="support" title={reference}>
      <Trans>Support</Trans>
    </span>
  </TextLink>
)

function WhichPhone({ row }: { row: DeviceActivity }) {
  const { device_reference, device_user_reference, names } = row
  const holder = visible(names.device_user_reference ?? device_user_reference ?? '')
  const short = visible(device_reference.slice(-8))
  return (
    <strong title={visible(device_reference)}>
      {device_user_reference === null ? <Trans>Phone …{short}</Trans> : <Trans>Phone of {holder}</Trans>}
    </strong>
  )
}

type CountedName = (typeof COUNTED)[number]
const isCounted = (name: string): name is CountedName => name in COUNTS

/** Placeholders of the entry's recording. */
const RECORDINGS: readonly string[] = ['payload_reference', 'recordings']

/** How many, for a placeholder that counts. */
const COUNTS = {
  recordings: (count: number) => msg`${plural(count, { one: '# recording', other: '# recordings' })}`,
  conversations: (count: number) =>
    msg`${plural(count, { one: '# conversation', other: '# conversations' })}`,
  alerts: (count: number) => msg`${plural(count, { one: '# alert', other: '# alerts' })}`,
  devices: (count: number) => msg`${plural(count, { one: '# device', other: '# devices' })}`,
  users: (count: number) => msg`${plural(count, { one: '# device user', other: '# device users' })}`,
} as const satisfies Record<CountedName, (count: number) => MessageDescriptor>
const UNCOUNTED = {
  recordings: msg`recordings`,
  conversations: msg`conversations`,
  alerts: msg`alerts`,
  devices: msg`devices`,
  users: msg`device users`,
} as const

function countText(name: CountedName, parameters: LoggedParameters, i18n: I18n): string {
  const count = countIn(name, parameters)
  return i18n._(count === undefined ? UNCOUNTED[name] : COUNTS[name](count))
}

/** Parameters that name what an act selects. */
const SELECTED = {
  conversations: 'payload_references',
  alerts: 'alert_references',
  devices: 'device_references',
  users: 'device_user_references',
} as const

function countIn(name: CountedName, parameters: LoggedParameters): number | undefined {
  if (name === 'recordings') return recordingsIn(parameters)
  const count = parameters[name]
  return typeof count === 'number' ? count : loggedList(parameters[SELECTED[name]])?.count
}

/** Words for values of the specification. */
const VALUES: Readonly<Record<string, Readonly<Record<string, MessageDescriptor>>>> = {
  mark: MARK_WORDS,
  command: COMMAND_WORDS,
  state: COMMAND_STATE_WORDS,
  change: USER_CHANGE_WORDS,
}

/** A value in the reader's language; a generated reference shortened. */
function valueText(name: string, value: string, i18n: I18n): string {
  const words = VALUES[name]
  const word = words && Object.hasOwn(words, value) ? words[value] : undefined
  return word === undefined ? shortReference(value) : i18n._(word)
}

/** Portuguese joins `de` with the article of a recording: `da chamada`. */
function contracted(
  text: string,
  next: ReturnType<typeof getSentence>[number] | undefined,
  row: Activity,
): string {
  const isRecording = next !== undefined && 'name' in next && RECORDINGS.includes(next.name)
  return isRecording && 'recording' in row && row.recording?.seen ? text.replace(/ de $/, ' d') : text
}

/** Entry as a sentence with links. `isInRow`: the row is the tab stop. */
export function Sentence({ row, isInRow = false }: { row: Activity; isInRow?: boolean }) {
  const { i18n } = useLingui()
  const may = useMay()
  const parameters = getParameters(row.parameters)
  const stated = getSentence(row, parameters, i18n.locale === 'pt-BR' ? 'pt-BR' : 'en-GB')
  const list = may(row.action) ? getList(row.action) : undefined
  /** Text of the sentence; links to the list for an entry about one. */
  const words = (text: string): ReactNode => {
    if (list === undefined || text.trim() === '') return text
    const bare = text.trimStart()
    return (
      <>
        {text.slice(0, text.length - bare.length)}
        <TextLink {...list} isInRow={isInRow}>
          {bare}
        </TextLink>
      </>
    )
  }
  const drawn = (name: string): ReactNode => {
    if (name === 'who') return 'user_id' in row ? <ActorName row={row} /> : <WhichPhone row={row} />
    if (RECORDINGS.includes(name) && 'recording' in row && row.recording !== null)
      return <RecordingLink recording={row.recording} isInRow={isInRow} />
    if (isCounted(name)) return countText(name, parameters, i18n)
    const at = parameters[name]
    if (name === 'ends_at' && typeof at === 'number') return <Time at={at} />
    const of = name === 'holder' ? 'device_reference' : name
    const value = getText(parameters, of)
    const shown = row.names[name] ?? row.names[of] ?? (value && valueText(name, value, i18n))
    if (shown === undefined) return '…'
    const place = Object.hasOwn(PLACES, of) ? PLACES[of] : undefined
    const title = visible(value ?? '')
    return place === undefined || value === undefined || !may(place.action) ? (
      <span title={title}>{visible(shown)}</span>
    ) : (
      <TextLink {...place.target(value, row.action)} isInRow={isInRow} title={title}>
        {visible(shown)}
      </TextLink>
    )
  }
  return (
    <span>
      {stated.map((part, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts of one sentence never move
        <Fragment key={index}>
          {'text' in part ? words(contracted(part.text, stated[index + 1], row)) : drawn(part.name)}
        </Fragment>
      ))}
    </span>
  )
}
