import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Badge } from '@mantine/core'
import { Icon, type IconName } from '../ui/icon.tsx'
import { formatTime, viewerZone, zoneName } from '../ui/time-format.ts'
import classes from './cells.module.css'

/** Shared table cells. They render for each row while scrolling: plain elements, native tooltips. */

/**
 * A time in the viewer's zone; the tooltip has the recording's local time.
 * @param at epoch seconds
 * @param zone IANA zone of the recording
 */
export function Moment({
  at,
  seconds = false,
  zone,
}: {
  at: number | null | undefined
  seconds?: boolean
  zone?: string | undefined
}) {
  const { i18n, t } = useLingui()
  if (at === null || at === undefined) return null
  const there = zone ?? viewerZone()
  const local = `${formatTime(at, i18n.locale, there, 'second')} ${zoneName(at, i18n.locale, there)}`
  return (
    <time
      dateTime={new Date(at * 1000).toISOString()}
      title={zone === undefined ? local : t`Recording location time: ${local} (${zone})`}
    >
      {formatTime(at, i18n.locale, viewerZone(), seconds ? 'second' : 'minute')}
    </time>
  )
}

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'info' | 'plain'

interface MarkedProps {
  icon: IconName
  tone: Tone
  /** The specification's spelling, where the label is translated. */
  title?: string
  children: string
}

/** Icon, word and colour. */
export const Marked = ({ icon, tone, title, children }: MarkedProps) => (
  <span className={classes.marked} data-tone={tone} title={title}>
    <Icon name={icon} size={14} />
    <span className={classes.word}>{children}</span>
  </span>
)

/** A text that may be truncated, with the full text in its tooltip. */
export const PlainText = ({ value }: { value: string | null | undefined }) =>
  value === null || value === undefined || value === '' ? null : (
    <span title={value}>
      <BreakableText value={value} />
    </span>
  )

/** A text whose mail address breaks before its domain, not within a word. */
export function BreakableText({ value }: { value: string }) {
  const [name, ...domain] = value.split('@')
  return domain.length === 0 ? (
    value
  ) : (
    <>
      {name}
      <wbr />@{domain.join('@')}
    </>
  )
}

/** The word for a missing value. */
export function FaintText({ word }: { word: MessageDescriptor }) {
  const { i18n } = useLingui()
  return <span className={classes.faint}>{i18n._(word)}</span>
}

/** Short technical text in monospace. */
export const Mono = ({ value, show = value }: { value: string; show?: string }) => (
  <code className={classes.mono} title={value}>
    {show}
  </code>
)

/** Badge for a legal hold; hidden without a hold or the right to know. */
export function HeldBadge({ is_held }: { is_held?: boolean | undefined }) {
  const { t } = useLingui()
  if (!is_held) return null
  return (
    <Badge color="grape" leftSection={<Icon name="lock" size={13} />}>
      {t({ context: 'legally', message: 'On hold' })}
    </Badge>
  )
}

/** Filter for records on legal hold, for permitted users. */
export const HELD_FILTER = {
  kind: 'flag',
  name: 'is_held',
  label: msg`On legal hold only`,
  action: 'account.legal_holds:list',
} as const
