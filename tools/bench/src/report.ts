import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { quantile, type Sample } from './load.ts'

/** One case with the runs of subject and floor, in pairs. */
export interface Line {
  name: string
  note: string
  pairs: { subject: Sample; floor: Sample }[]
}

const FIGURES = ['per_second', 'p50', 'p99', 'cpu'] as const

/** The middle of some figures. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** A median with the least and the most. */
export const spread = (values: readonly number[]): string =>
  `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`

/** Medians of each side, and the median with least and most of the ratios of pairs, for each figure. */
export function summarise(line: Line) {
  const of = (side: 'subject' | 'floor', figure: (typeof FIGURES)[number]) =>
    line.pairs.map((pair) => pair[side][figure])
  return {
    name: line.name,
    note: line.note,
    figures: Object.fromEntries(
      FIGURES.map((figure) => {
        const ratios = line.pairs.map(({ subject, floor: baseline }) => subject[figure] / baseline[figure])
        const ratio = { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
        return [figure, { subject: median(of('subject', figure)), floor: median(of('floor', figure)), ratio }]
      }),
    ) as Record<
      (typeof FIGURES)[number],
      { subject: number; floor: number; ratio: { median: number; least: number; most: number } }
    >,
  }
}

const number = (value: number) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** Prints the table and writes everything measured to a JSON file. */
export function report(title: string, lines: readonly Line[], facts: object, file: string): void {
  console.log(`\n${title}: ours / floor (× the floor: median, least–most)\n`)
  const rows = lines.map(summarise)
  const head = ['case', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms/request', '']
  const body = rows.map(({ name, note, figures }) => [
    name,
    ...FIGURES.map((figure) => {
      const { subject, floor: baseline, ratio } = figures[figure]
      return `${number(subject)} / ${number(baseline)} (${number(ratio.median)}, ${number(ratio.least)}–${number(ratio.most)})`
    }),
    note,
  ])
  const widths = head.map((cell, i) => Math.max(cell.length, ...body.map((row) => row[i]?.length ?? 0)))
  for (const row of [head, ...body])
    console.log(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  writeFileSync(
    file,
    `${JSON.stringify({ title, ...facts, lines: rows.map((row, i) => ({ ...row, pairs: lines[i]?.pairs })) }, undefined, 2)}\n`,
  )
  console.log(`\nAll figures: ${file}`)
}

/** The page of the documentation that `performancePage` writes. */
export const PERFORMANCE_FILE: string = fileURLToPath(
  new URL('../../../docs/performance.md', import.meta.url),
)

/** What a run of all benches writes. */
export interface Results {
  version: string
  commit: string
  /** The day of the run, and more of its time. */
  at: string
  rows: number
  node: string
  cpu: string | undefined
  cores: number
  memory_gib: number
  /** Load of the machine before and after. */
  loads: readonly [number, number]
  /** The file of each bench that ended, by its name. */
  benches: Readonly<Record<string, unknown>>
}

type Figures = ReturnType<typeof summarise>

/** Lines of a bench by the beginning of their names. */
const getLines = ({ benches }: Results, bench: string, begin: string): Figures[] =>
  ((benches[bench] as { lines?: Figures[] } | undefined)?.lines ?? []).filter(({ name }) =>
    name.startsWith(begin),
  )

/** The most CPU in times of the floor, over some lines of a bench. */
const worst =
  (bench: string, ...begins: string[]) =>
  (results: Results): number =>
    Math.max(
      ...begins.flatMap((begin) =>
        getLines(results, bench, begin).map(({ figures }) => figures.cpu.ratio.median),
      ),
    )

/** The median, or another figure, over the rounds of a bench; the name may have parts, as `sftp.large`. */
const getMedian =
  <Round>(bench: string, name: string, figure: (round: Round) => number, summary = median) =>
  ({ benches }: Results): number => {
    const found = name
      .split('.')
      .reduce<unknown>((of, part) => (of as Record<string, unknown> | undefined)?.[part], benches[bench])
    return Array.isArray(found) ? summary((found as Round[]).map(figure)) : Number.NaN
  }

interface Goal {
  figure: string
  of: (results: Results) => number
  unit?: string
  goal: number
  /** What the figure is compared with, as a ratio. */
  than?: string
  /** A speed must be at least the goal; everything else at most. */
  isSpeed?: true
  /** Why the goal is missed, as a profile showed; shown only then. */
  reason?: string
}

/** Deliveries of one large file, compared with a program that only sends it and with one that also verifies it. */
const SENT = [
  {
    figure: 'SFTP speed',
    bench: 'sftp.large',
    peer: 'openssh_synced',
    goal: 1,
    than: 'sftp',
    reason: 'read back',
  },
  {
    figure: 'SFTP, verified',
    bench: 'sftp.large',
    peer: 'openssh_fetched',
    goal: 1,
    than: 'the same',
    reason: 'copies',
  },
  { figure: 'S3 speed', bench: 's3.large', peer: 'curl', goal: 0.9, than: 'curl', reason: 'two digests' },
  {
    figure: 'S3, signed',
    bench: 's3.large',
    peer: 'curl_signed',
    goal: 0.9,
    than: 'the same',
    reason: 'MD5',
  },
] as const

const PERFORMANCE: readonly Goal[] = [
  {
    figure: 'List',
    of: worst('lists', 'first page, handler by hand'),
    goal: 1.6,
    than: 'bare handler',
    reason: 'session, audit',
  },
  {
    figure: 'Rare filter',
    of: worst('filters', 'page'),
    goal: 2,
    than: 'plain page',
    reason: 'held, 200 groups',
  },
  {
    figure: 'Total',
    of: worst('filters', 'total'),
    goal: 3,
    than: 'plain page',
    reason: 'frequent names',
  },
  {
    figure: 'Group metrics',
    of: worst('filters', 'metrics'),
    goal: 3,
    than: 'all groups',
    reason: '200 groups',
  },
  {
    figure: 'Word search',
    of: worst('words', 'a word', 'two words'),
    goal: 3,
    than: 'plain page',
    reason: 'frequent words',
  },
  {
    figure: 'Range read',
    of: worst('range', '64 KiB'),
    goal: 1.5,
    than: 'plain file',
    reason: 'buffers of the cipher',
  },
  {
    figure: 'Upload',
    of: (results) =>
      Math.max(...getLines(results, 'ingest', 'processed').map(({ figures }) => figures.cpu.subject)),
    unit: 'ms',
    goal: 4.5,
    reason: 'device keys',
  },
  {
    figure: 'Message on disk',
    of: getMedian<{ bytes: number }>('ingest', 'footprint', ({ bytes }) => bytes / 1000),
    unit: 'KB',
    goal: 6,
    reason: 'keys, activities',
  },
  { figure: 'Growth', of: worst('growth', ''), goal: 1.3, than: 'smaller archive' },
  {
    figure: 'Sealed upload',
    of: worst('sealing', 'uploads'),
    goal: 1.05,
    than: 'unsealed',
    reason: 'small batches',
  },
  {
    figure: 'Sealed entry',
    of: getMedian<{ cpu_us: number }>('sealing', 'entries', ({ cpu_us }) => cpu_us),
    unit: 'µs',
    goal: 50,
    reason: 'small batches',
  },
  {
    figure: 'Sealing delay',
    of: getMedian<{ p99: number }>('sealing', 'delays', ({ p99 }) => p99 / 1000),
    unit: 's',
    goal: 2,
    reason: 'busy machine',
  },
  {
    figure: 'Deletion',
    of: getMedian<{ ours: { cpu_us: number } }>('retention', 'pairs', ({ ours }) => ours.cpu_us),
    unit: 'µs',
    goal: 120,
    reason: 'metrics',
  },
  ...SENT.map(({ bench, peer, ...goal }): Goal => ({
    ...goal,
    of: getMedian<Record<typeof peer | 'ours', number>>(
      'transfers',
      bench,
      (round) => round[peer] / round.ours,
    ),
    isSpeed: true,
  })),
  {
    figure: 'OpenPGP speed',
    of: getMedian<Record<'gpg' | 'ours', number>>('transfers', 'pgp', ({ gpg, ours }) => gpg / ours),
    goal: 0.9,
    than: 'gpg',
    isSpeed: true,
    reason: 'cipher, SHA-256',
  },
  {
    figure: 'Largest paint',
    of: ({ benches }) =>
      Math.max(
        ...((benches['portal'] as { lines?: { ours: { lcp: number }[] }[] } | undefined)?.lines ?? []).map(
          ({ ours }) => median(ours.map(({ lcp }) => lcp)),
        ),
      ) / 1000,
    unit: 's',
    goal: 1.1,
    reason: 'first render',
  },
  {
    figure: 'Next item, p95',
    of: getMedian<number>('review', 'facts', Number, (all) => quantile(all, 0.95)),
    unit: 'ms',
    goal: 50,
    reason: 'rendering',
  },
]

/** One figure with its goal, and the reason if the goal is missed. */
function getLine(results: Results, { figure, of, unit, goal, than, isSpeed, reason }: Goal): string {
  const value = of(results)
  const aim = `(${goal}${than === undefined ? ` ${unit}` : `× ${than}`})`
  if (!Number.isFinite(value)) return `- ${figure}: not measured ${aim}`
  const isMissed = isSpeed ? value < goal : value > goal
  const measured = `${number(value)}${than === undefined ? ` ${unit}` : '×'}`
  return `- ${figure}: ${measured} ${aim}${isMissed ? `; ${reason ?? 'not profiled'}` : ''}`
}

/** The content of docs/performance.md. */
export function performancePage(results: Results): string {
  const { version, commit, at, rows, node, cpu, cores, memory_gib, loads } = results
  return `# Performance

<!-- Written by \`npm run bench -- all --quick --docs\`. -->

Version ${version} (${commit}) on ${at.slice(0, 10)}: ${cores} cores of ${cpu?.replace(' Processor', '') ?? 'an unknown CPU'}, ${memory_gib} GiB, Node ${node},
load ${loads.map((load) => load.toFixed(1)).join(' to ')}, ${rows.toLocaleString('en')} payloads. Worst cases (goals):

${PERFORMANCE.map((goal) => getLine(results, goal)).join('\n')}
`
}
