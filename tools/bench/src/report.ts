import { writeFileSync } from 'node:fs'
import type { Sample } from './load.ts'

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
