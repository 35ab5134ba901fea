import { DateParameter, dateParameterToEpoch, type Fault, fault } from '@custodia/contract'

/** A row of a file by its columns; lists are lists in NDJSON, and texts with commas in CSV. */
export type Cells = Readonly<Record<string, string | readonly string[]>>

/** Columns as they are compared: whatever their case, spaces, hyphens and underscores. */
export const columnName = (name: string): string =>
  name
    .replace(/^\uFEFF/, '')
    .replace(/[\s_-]/g, '')
    .toLowerCase()

/** Reads the cells of one row, and keeps what is wrong with them. */
export class Reader {
  readonly faults: Fault[] = []
  readonly #cells: Cells

  constructor(cells: Cells) {
    this.#cells = cells
  }

  /** What a cell says; undefined: nothing. */
  text(column: string): string | undefined {
    const value = this.#cells[columnName(column)]
    const text = typeof value === 'string' ? value : value?.join(',')
    return text?.trim() || undefined
  }

  /** As it was written, with its spaces. */
  prose(column: string): string {
    const value = this.#cells[columnName(column)]
    return typeof value === 'string' ? value : (value?.join(',') ?? '')
  }

  /** Problem: required. */
  required(column: string): string {
    const text = this.text(column)
    if (text === undefined) this.faults.push(fault(column, 'required', { field: column }))
    return text ?? ''
  }

  /** One of a list of values, in any case. */
  option<T extends string>(column: string, options: readonly T[]): T | undefined {
    const text = this.text(column)
    if (text === undefined) return undefined
    const found = options.find((each) => each.toLowerCase() === text.toLowerCase())
    if (!found) this.faults.push(fault(column, 'not_an_option', { options: options.join(', ') }))
    return found
  }

  /** Parts of a list, separated by commas or semicolons; undefined: the cell says nothing. */
  list(column: string): string[] | undefined {
    const value = this.#cells[columnName(column)]
    if (Array.isArray(value)) return value.length > 0 ? value.map(String) : undefined
    const text = this.text(column)
    return text?.split(/[,;]/).map((part) => part.trim())
  }

  yes(column: string): boolean | undefined {
    const text = this.text(column)
    if (text === undefined) return undefined
    if (/^(?:true|yes|sim|1)$/i.test(text)) return true
    if (/^(?:false|no|não|nao|0)$/i.test(text)) return false
    this.faults.push(fault(column, 'wrong_type', { type: 'boolean' }))
    return undefined
  }

  number(column: string): number | undefined {
    const text = this.text(column)
    if (text === undefined) return undefined
    if (/^-?\d{1,12}$/.test(text)) return Number(text)
    this.faults.push(fault(column, 'wrong_type', { type: 'int' }))
    return undefined
  }

  /** Epoch seconds, of a number of them or of an ISO timestamp; one that names no zone is in UTC. */
  time(column: string): number | undefined {
    const text = this.text(column)
    if (text === undefined) return undefined
    const seconds = getSeconds(text)
    if (seconds === undefined) this.faults.push(fault(column, 'iso_timestamp'))
    return seconds
  }

  /** Of each part of a list. */
  times(column: string): number[] | undefined {
    const all = this.list(column)?.map(getSeconds)
    if (!all?.includes(undefined)) return all as number[] | undefined
    this.faults.push(fault(column, 'iso_timestamp'))
    return undefined
  }
}

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,6})?)?)?\s*(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/i

function getSeconds(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return inRange(Number(text))
  const match = ISO.exec(text)
  if (!match) return undefined
  const [, day, hour = '00', minute = '00', second = '00', , sign = '+', hours = '0', minutes = '0'] = match
  const written = `${day}-${hour}${minute}${second}`
  if (!DateParameter.safeParse(written).success) return undefined
  const there = dateParameterToEpoch(written)
  const offset = (Number(hours) * 60 + Number(minutes)) * 60
  return there === undefined ? undefined : inRange(there - (sign === '-' ? -offset : offset))
}

const inRange = (seconds: number) => (seconds >= 0 && seconds <= 253_402_300_799 ? seconds : undefined)

/** What a clock shows so many minutes east of UTC, as metadata has it. */
export function wallClock(seconds: number, offset: number): string {
  const parts = CLOCK.formatToParts((seconds + offset * 60) * 1000)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}:${of('second')}`
}
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
