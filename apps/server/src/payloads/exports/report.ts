import {
  type DataStatus,
  fill,
  type Locale,
  phrase,
  type Phrase,
  RECORDING_PHRASES,
} from '@custodia/contract'
import type { ArchiveLine, BagInfo } from '../data/archive-files.ts'
import { type Described, localTime, partiesOf, personOf } from './facts.ts'

/** Who made an export, when and why. */
export interface ReportAbout {
  client: string
  by: string
  reason: string | null
  /** Epoch seconds. */
  now: number
  info: BagInfo
}

const TEXTS = {
  title: phrase('Exported recordings', 'Gravações exportadas'),
  export: phrase('Export', 'Exportação'),
  part: phrase('Part', 'Parte'),
  partOf: phrase('{part} of {parts}', '{part} de {parts}'),
  by: phrase('Exported by', 'Exportado por'),
  at: phrase('Exported at', 'Exportado em'),
  reason: phrase('Reason', 'Motivo'),
  recordings: phrase('Recordings', 'Gravações'),
  verify: phrase('How to verify', 'Como verificar'),
  verifyText: phrase(
    'Unpack the archive. In its folder run {command}. It prints OK for each recording whose bytes are unchanged since the export. The page /verify of the portal does the same in a browser, without uploading anything.',
    'Descompacte o arquivo. Na pasta dele, execute {command}. O comando imprime OK (SUCESSO) para cada gravação cujos bytes não mudaram desde a exportação. A página /verify do portal faz o mesmo no navegador, sem enviar nada.',
  ),
  when: phrase('When (local time)', 'Quando (hora local)'),
  type: phrase('Type', 'Tipo'),
  who: phrase('Who', 'Quem'),
  group: phrase('Group', 'Grupo'),
  parties: phrase('With', 'Com'),
  more: phrase('and {more} more', 'e mais {more}'),
  duration: phrase('Duration', 'Duração'),
  files: phrase('Files and their SHA-256', 'Arquivos e SHA-256'),
  missing: phrase('Not included', 'Não incluídas'),
  reference: phrase('Recording', 'Gravação'),
  withheld: phrase('Number withheld', 'Número não informado'),
} as const

const REFUSED: Readonly<Record<Exclude<DataStatus, 'Ok'>, Phrase>> = {
  NoS3Url: phrase(
    'No such file, or the recording was deleted.',
    'Não há tal arquivo, ou a gravação foi excluída.',
  ),
  NoMatchingRecord: phrase('Recording not found.', 'Gravação não encontrada.'),
  GroupNotAuthorised: phrase('The roles do not allow its group.', 'As funções não permitem o grupo.'),
  TypeNotAuthorised: phrase('The roles do not allow this type.', 'As funções não permitem este tipo.'),
}

const STYLE = `body{font:14px/1.5 system-ui,sans-serif;color:#111;background:#fff;margin:2rem auto;max-width:70rem;padding:0 1rem}
h1{font-size:1.6rem;margin:.2rem 0 1rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.2rem;margin:0}dt{color:#555}dd{margin:0}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top}
thead{display:table-header-group}tr{break-inside:avoid}code{font-family:ui-monospace,monospace;font-size:.8em;overflow-wrap:anywhere}
.client{color:#555;margin:0}@page{size:A4 landscape;margin:16mm 14mm;@bottom-right{content:counter(page) " / " counter(pages);font:9pt sans-serif}}`

const UNSAFE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Text for HTML, without control characters and marks that reverse the direction. */
const html = (text: string): string =>
  text
    .replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '')
    .replace(/[&<>"']/g, (c) => UNSAFE[c] ?? '')

/** `0:40`, `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

const capital = (text: string, locale: Locale): string => {
  // Portuguese phrases begin with an article.
  const noun = locale === 'pt-BR' ? text.replace(/^[ao] /, '') : text
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}

/** The manifest of a bag in plain words, as a page that needs nothing else and prints. */
export function reportFile(about: ReportAbout, recordings: Described, lines: readonly ArchiveLine[]): string {
  const { locale } = about.info
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const refused = lines.filter(({ file }) => file === undefined)
  return [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><title>${says('title')}</title><style>${STYLE}</style></head><body>`,
    `<p class="client">${html(about.client)}</p><h1>${says('title')}</h1>`,
    headOf(about, recordings.length),
    `<h2>${says('verify')}</h2><p>${says('verifyText').replace('{command}', '<code>sha256sum -c manifest-sha256.txt</code>')}</p>`,
    recordingsOf(recordings, locale),
    refused.length > 0 ? refusedOf(refused, locale) : '',
    '</body></html>\n',
  ].join('\n')
}

function headOf({ by, reason, now, info }: ReportAbout, count: number): string {
  const { locale } = info
  const at = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' })
  const facts: readonly (readonly [keyof typeof TEXTS, string | null])[] = [
    ['export', info.export_id],
    ['part', fill(TEXTS.partOf[locale], { part: info.part, parts: info.parts })],
    ['by', by],
    ['at', at.format(now * 1000)],
    ['reason', reason],
    ['recordings', new Intl.NumberFormat(locale).format(count)],
  ]
  const rows = facts.map(([label, value]) =>
    value === null ? '' : `<dt>${html(TEXTS[label][locale])}</dt><dd>${html(value)}</dd>`,
  )
  return `<dl>${rows.join('')}</dl>`
}

const table = (head: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${head.map((each) => `<th>${each}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`

function recordingsOf(recordings: Described, locale: Locale): string {
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const rows = recordings.map(([facts, files]) => {
    const { names, more } = partiesOf(facts)
    const parties = [
      ...names.map((name) => (name === '' ? TEXTS.withheld[locale] : name)),
      ...(more > 0 ? [fill(TEXTS.more[locale], { more })] : []),
    ]
    const { duration } = facts.document
    const cells = [
      html(localTime(facts)),
      html(capital(RECORDING_PHRASES[facts.payload_type][locale], locale)),
      html(personOf(facts)),
      html(facts.group),
      parties.map((each) => html(each)).join('<br>'),
      duration === undefined ? '' : clock(duration),
      files.map(({ file = '', sha256 = '' }) => `${html(file)}<br><code>${html(sha256)}</code>`).join('<br>'),
    ]
    return `<tr>${cells.map((each) => `<td>${each}</td>`).join('')}</tr>`
  })
  const head = (['when', 'type', 'who', 'group', 'parties', 'duration', 'files'] as const).map(says)
  return `<h2>${says('recordings')}</h2>${table(head, rows)}`
}

function refusedOf(lines: readonly ArchiveLine[], locale: Locale): string {
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const rows = lines.map(
    ({ payload_reference, status }) =>
      `<tr><td><code>${html(payload_reference)}</code></td><td>${status === 'Ok' ? '' : html(REFUSED[status][locale])}</td></tr>`,
  )
  return `<h2>${says('missing')}</h2>${table([says('reference'), says('reason')], rows)}`
}
