import { fill, phrase, type Phrase, RECORDING_PHRASES } from '@custodia/contract'
import type { ArchiveLine } from '../data/archive-files.ts'
import { inBoth, OLDER, type RecordingEvidence } from './evidence.ts'
import type { ExportedFacts } from './export-store.ts'
import { type RecordingFacts, localTime, getParties, getPerson } from './facts.ts'
import { capital, clock, html, type ReportAbout, STYLE } from './report.ts'

const TEXTS = {
  title: phrase('Exported recordings', 'Gravações exportadas'),
  export: phrase('Export {id}, part {part} of {parts}', 'Exportação {id}, parte {part} de {parts}'),
  verify: phrase(
    'How to verify: node custodia-verify.mjs <this folder> --key=<key of the account>, or the page /verify of the portal.',
    'Como verificar: node custodia-verify.mjs <esta pasta> --key=<chave da conta>, ou a página /verify do portal.',
  ),
  reference: phrase('Recording', 'Gravação'),
  type: phrase('Type', 'Tipo'),
  group: phrase('Group', 'Grupo'),
  files: phrase('Files and their SHA-256', 'Arquivos e SHA-256'),
  device: phrase('Device', 'Dispositivo'),
  sealed: phrase('SHA-256 on the device, encrypted', 'SHA-256 no dispositivo, criptografada'),
  holders: phrase('Holders of the device', 'Titulares do dispositivo'),
  numbers: phrase('Numbers of the device', 'Números do dispositivo'),
  proved: phrase('proved by a text message', 'comprovado por SMS'),
  contested: phrase('also reported by another device', 'informado também por outro dispositivo'),
  now: phrase('the export', 'a exportação'),
  plays: phrase('Heard by', 'Ouvida por'),
  none: phrase('no person', 'nenhuma pessoa'),
  trail: phrase('Audit trail (sealed)', 'Trilha de auditoria (selada)'),
  position: phrase('Position', 'Posição'),
  more: phrase(
    'evidence/audit-trail.csv has {count} older entries.',
    'evidence/audit-trail.csv tem outros {count} registros, mais antigos.',
  ),
} as const satisfies Record<string, Phrase>

const AUDIO = /\.(?:mp3|wav|m4a|aac|ogg|opus|flac)$/
const VIDEO = /\.(?:mp4|webm|mov)$/
const IMAGE = /\.(?:jpe?g|png|webp|gif)$/

/** A text in both languages; the style shows the chosen one. */
const both = ({ 'en-GB': en, 'pt-BR': pt }: Phrase): string =>
  en === pt ? html(en) : `<span lang="en">${html(en)}</span><span lang="pt-BR">${html(pt)}</span>`
const word = (name: keyof typeof TEXTS): string => both(TEXTS[name])

const time = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ') + ' UTC'
const period = (from_at: number, to_at: number | null): string =>
  `${time(from_at)} – ${to_at === null ? word('now') : time(to_at)}`

/**
 * A page about all recordings of a bag that opens from disk: without scripts, so nothing in the metadata can run, and
 * without addresses of other places. The reader chooses the language on the page.
 */
export async function* viewerFile(
  { client, info }: ReportAbout,
  recordings: RecordingFacts,
  evidence: ReadonlyMap<string, RecordingEvidence>,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  const values = { id: info.export_id, part: info.part, parts: info.parts }
  const about = inBoth((locale) => fill(TEXTS.export[locale], values))
  const choice = (id: string, locale: string, label: string) =>
    `<label><input type="radio" name="language" id="${id}"${info.locale === locale ? ' checked' : ''}> ${label}</label> `
  yield Buffer.from(`<!doctype html><html lang="${info.locale}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; media-src 'self' file:">
<meta name="viewport" content="width=device-width"><title>${html(TEXTS.title[info.locale])}</title><style>${STYLE}
body:has(#en:checked) [lang="pt-BR"],body:has(#pt:checked) [lang="en"]{display:none}
summary{cursor:pointer;padding:.5rem 0;font-weight:600}details{border-bottom:1px solid #ccc}details[open]{padding-bottom:1rem}
audio,video,img{display:block;max-width:100%;margin:.5rem 0}</style></head><body>
<p class="client">${html(client)}</p><h1>${word('title')}</h1>
<p>${choice('en', 'en-GB', 'English')}${choice('pt', 'pt-BR', 'Português')}</p>
<p>${both(about)}</p><p>${word('verify')}</p>
`)
  for (const [facts, lines] of recordings)
    yield Buffer.from(getRecording(facts, lines, evidence.get(facts.payload_reference)))
  yield Buffer.from('</body></html>\n')
}

function getRecording(
  facts: ExportedFacts,
  lines: readonly ArchiveLine[],
  evidence: RecordingEvidence | undefined,
): string {
  const { duration } = facts.document
  const title = [
    localTime(facts),
    getPerson(facts),
    ...getParties(facts).names,
    ...(duration === undefined ? [] : [clock(duration)]),
  ]
  const rows: (readonly [string, string])[] = [
    [word('reference'), `<code>${html(facts.payload_reference)}</code>`],
    [word('type'), both(inBoth((locale) => capital(RECORDING_PHRASES[facts.payload_type][locale], locale)))],
    [word('group'), html(facts.group)],
    [
      word('files'),
      lines
        .map(
          ({ file = '', sha256 = '' }) =>
            `<a href="${html(file)}">${html(file)}</a><br><code>${sha256}</code>`,
        )
        .join('<br>'),
    ],
    ...custodyRows(evidence?.custody ?? {}),
  ]
  return `<details><summary>${title.map((each) => html(each)).join(' · ')}</summary>
${getMedia(lines)}<dl>${rows.map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`).join('')}</dl>
${evidence ? getTrail(evidence) : ''}</details>
`
}

/** A player for the first file that browsers play. */
function getMedia(lines: readonly ArchiveLine[]): string {
  const files = lines.flatMap(({ file }) => (file === undefined ? [] : [file]))
  const first = (pattern: RegExp) => files.toReversed().find((file) => pattern.test(file))
  const [audio, video, image] = [first(AUDIO), first(VIDEO), first(IMAGE)]
  if (audio !== undefined) return `<audio controls preload="none" src="${html(audio)}"></audio>`
  if (video !== undefined) return `<video controls preload="none" src="${html(video)}"></video>`
  return image === undefined ? '' : `<img loading="lazy" alt="" src="${html(image)}">`
}

function custodyRows({
  device,
  checksum,
  holders,
  numbers,
  plays,
}: RecordingEvidence['custody']): (readonly [string, string])[] {
  const list = (items: readonly string[]) => items.join('<br>')
  const rows: (readonly [string, string | undefined])[] = [
    [
      word('device'),
      device &&
        list(
          [device.device_reference, device.model, device.serial_number, ...device.imeis].flatMap((each) =>
            each === null ? [] : [html(each)],
          ),
        ),
    ],
    [word('sealed'), checksum ? `<code>${html(checksum)}</code>` : undefined],
    [
      word('holders'),
      holders &&
        list(
          holders.map(
            ({ device_user_reference: person, group, from_at, to_at }) =>
              `${html(person ?? '–')} · ${html(group)} · ${period(from_at, to_at)}`,
          ),
        ),
    ],
    [
      word('numbers'),
      numbers &&
        list(
          numbers.map(({ phone_number, from_at, to_at, last_verified, is_contested }) =>
            [
              html(phone_number),
              period(from_at, to_at),
              ...(last_verified === null ? [] : [word('proved')]),
              ...(is_contested ? [word('contested')] : []),
            ].join(' · '),
          ),
        ),
    ],
    [
      word('plays'),
      plays &&
        (plays.length === 0
          ? word('none')
          : list(
              plays.map(
                ({ person, person_name, played, length, last_at }) =>
                  `${html(person_name === null ? person : `${person_name} (${person})`)} · ${clock(played)}${length === null ? '' : ` / ${clock(length)}`} · ${time(last_at)}`,
              ),
            )),
    ],
  ]
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]))
}

function getTrail({ trail, more, isCut }: RecordingEvidence): string {
  const rows = trail
    .filter(({ isBackground }) => !isBackground)
    .map(
      ({ at, text, position }) => `<tr><td>${time(at)}</td><td>${both(text)}</td><td>${position}</td></tr>`,
    )
  const count = String(more)
  const notes = [
    ...(more > 0 ? [inBoth((locale) => fill(TEXTS.more[locale], { count }))] : []),
    ...(isCut ? [OLDER] : []),
  ]
  if (rows.length === 0 && notes.length === 0) return ''
  return `<table><thead><tr><th>UTC</th><th>${word('trail')}</th><th>${word('position')}</th></tr></thead><tbody>${rows.join('')}</tbody></table>${notes.map((note) => `<p>${both(note)}</p>`).join('')}`
}
