import {
  type DataStatus,
  fill,
  INVISIBLE,
  type Locale,
  phrase,
  type Phrase,
  RECORDING_PHRASES,
} from '@custodia/contract'
import type { ArchiveLine, BagInfo } from '../data/archive-files.ts'
import { type RecordingFacts, localTime, getParties, getPerson } from './facts.ts'

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
  getPart: phrase('{part} of {parts}', '{part} de {parts}'),
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

/** The style of all pages in a bag. */
export const STYLE = `body{font:14px/1.5 system-ui,sans-serif;color:#111;background:#fff;margin:2rem auto;max-width:70rem;padding:0 1rem}
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
/** Text for HTML, without control and invisible characters. */
export const html = (text: string): string =>
  text
    .replace(/\p{Cc}/gu, '')
    .replace(INVISIBLE, '')
    .replace(/[&<>"']/g, (c) => UNSAFE[c] ?? '')

/** `0:40`, `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}

/** A phrase of a type as a heading: without the article of Portuguese. */
export const capital = (text: string, locale: Locale): string => {
  // Portuguese phrases begin with an article.
  const noun = locale === 'pt-BR' ? text.replace(/^[ao] /, '') : text
  return noun.charAt(0).toUpperCase() + noun.slice(1)
}

/** The manifest of a bag in plain words, as a page that needs nothing else and prints. */
export function reportFile(
  about: ReportAbout,
  recordings: RecordingFacts,
  lines: readonly ArchiveLine[],
): string {
  const { locale } = about.info
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const refused = lines.filter(({ file }) => file === undefined)
  return [
    `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><title>${says('title')}</title><style>${STYLE}</style></head><body>`,
    `<p class="client">${html(about.client)}</p><h1>${says('title')}</h1>`,
    getHead(about, recordings.length),
    `<h2>${says('verify')}</h2><p>${says('verifyText').replace('{command}', '<code>sha256sum -c manifest-sha256.txt</code>')}</p>`,
    getRecordings(recordings, locale),
    refused.length > 0 ? getRefused(refused, locale) : '',
    '</body></html>\n',
  ].join('\n')
}

function getHead({ by, reason, now, info }: ReportAbout, count: number): string {
  const { locale } = info
  const at = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'long', timeZone: 'UTC' })
  const facts: readonly (readonly [keyof typeof TEXTS, string | null])[] = [
    ['export', info.export_id],
    ['part', fill(TEXTS.getPart[locale], { part: info.part, parts: info.parts })],
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

function getRecordings(recordings: RecordingFacts, locale: Locale): string {
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const rows = recordings.map(([facts, files]) => {
    const { names, more } = getParties(facts)
    const parties = [
      ...names.map((name) => (name === '' ? TEXTS.withheld[locale] : name)),
      ...(more > 0 ? [fill(TEXTS.more[locale], { more })] : []),
    ]
    const { duration } = facts.document
    const cells = [
      html(localTime(facts)),
      html(capital(RECORDING_PHRASES[facts.payload_type][locale], locale)),
      html(getPerson(facts)),
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

function getRefused(lines: readonly ArchiveLine[], locale: Locale): string {
  const says = (text: keyof typeof TEXTS) => html(TEXTS[text][locale])
  const rows = lines.map(
    ({ payload_reference, status }) =>
      `<tr><td><code>${html(payload_reference)}</code></td><td>${status === 'Ok' ? '' : html(REFUSED[status][locale])}</td></tr>`,
  )
  return `<h2>${says('missing')}</h2>${table([says('reference'), says('reason')], rows)}`
}

interface Certificate {
  title: string
  paragraphs: readonly string[]
  signature: string
  note: string
}

/** Texts for a person's signature; `{…}` are facts of the bag, and lines are left to be filled in. */
const CERTIFICATES: Readonly<Record<Locale, Certificate>> = {
  'en-GB': {
    title: 'Certification of electronic records under Federal Rules of Evidence 902(13) and 902(14)',
    paragraphs: [
      'I, ______________________, am employed by {client} as ______________________. I am qualified to make this certification because ______________________.',
      'The recordings in this bag (number: {recordings}; export {export_id}, part {part} of {parts}) were generated by an electronic process or system. An application on a device recorded them, encrypted them on the device, and sent them to the archive Custodia. The archive verified the authenticated encryption of each recording when it arrived, and has kept it encrypted and unchanged since. This process produces an accurate result. I know this because ______________________.',
      'The files in the folder “data” are copies of data in that archive. Files in “data/originals” have the bytes that the device recorded; files in “data/playable” were converted from them. When the archive exported them on {at} for {by}, it calculated the SHA-256 hash value of each file. The file manifest-sha256.txt lists these values; its own SHA-256 is {digest}. I compared the files with the list on ______________________ by ______________________, and all values were identical.',
      'The file tagmanifest-sha256.txt, which covers that list, is signed (Ed25519) with the key {key}.',
      'I declare under penalty of perjury under the laws of the United States of America that the foregoing is true and correct (28 U.S.C. § 1746).',
    ],
    signature: 'Executed on ______________ at ______________. Signature: ______________________',
    note: 'Draft. A qualified person corrects, completes and signs it. Rule 902(11) requires reasonable written notice to the other party.',
  },
  'pt-BR': {
    title: 'Declaração de integridade e de cadeia de custódia de registros eletrônicos',
    paragraphs: [
      'Eu, ______________________, CPF ______________________, exerço na {client} a função de ______________________ e tenho conhecimento técnico para esta declaração porque ______________________.',
      'As gravações deste pacote (quantidade: {recordings}; exportação {export_id}, parte {part} de {parts}) foram geradas por processo eletrônico. Um aplicativo as gravou no dispositivo, criptografou-as no próprio dispositivo e as enviou ao arquivo Custodia, que verificou a criptografia autenticada de cada gravação no recebimento e a mantém criptografada e inalterada desde então.',
      'Os arquivos da pasta “data” são cópias dos dados desse arquivo. Os de “data/originals” têm os bytes gravados pelo dispositivo; os de “data/playable” foram convertidos a partir deles. Na exportação, em {at}, por {by}, foi calculado o código de integridade (hash SHA-256) de cada arquivo. A relação está em manifest-sha256.txt, cujo SHA-256 é {digest}. Em ______________________ comparei os arquivos com a relação, por meio de ______________________, e todos os códigos coincidiram.',
      'O arquivo tagmanifest-sha256.txt, que abrange essa relação, está assinado (Ed25519) com a chave {key}. A pasta “evidence” registra a cadeia de custódia: dispositivo, titulares, números e acessos.',
      'Declaro, sob as penas da lei, que as informações acima são verdadeiras, para os fins dos arts. 369, 411, II, 422, § 1º, e 441 do Código de Processo Civil, dos arts. 158-A a 158-F do Código de Processo Penal e do art. 10, § 2º, da Medida Provisória nº 2.200-2/2001.',
    ],
    signature: '______________________, ____ de ______________ de ______. Assinatura: ______________________',
    note: 'Minuta. Pessoa qualificada corrige, completa e assina, de preferência com certificado ICP-Brasil. O conteúdo tem dados pessoais (Lei nº 13.709/2018).',
  },
}

/** A certificate in one language as a page to print, with blanks that a person fills in. */
export function certificateFile(
  about: ReportAbout,
  facts: { locale: Locale; recordings: number; digest: string; key: string },
): string {
  const { locale, ...others } = facts
  const { title, paragraphs, signature, note } = CERTIFICATES[locale]
  const { client, by, now, info } = about
  const { export_id, part, parts } = info
  const at = `${new Date(now * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const values = { client, by, at, export_id, part, parts, ...others }
  const numbered = paragraphs.map((text) => `<li>${html(fill(text, values))}</li>`)
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><title>${html(title)}</title><style>${STYLE}
body{max-width:46rem}li{margin:.8rem 0;overflow-wrap:anywhere}@page{size:A4 portrait}</style></head><body>
<h1>${html(title)}</h1><ol>${numbered.join('\n')}</ol><p>${html(signature)}</p><p class="client">${html(note)}</p></body></html>
`
}
