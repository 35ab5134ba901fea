import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { isOfTests, SERVER, sourcesBelow } from './sources.ts'

/** Beginnings of SQL statements and fragments; prose does not match. */
const SQL =
  /^\s*(select\s|insert\s+into\s|update\s+\w+\s+(\w+\s+)?set\s|delete\s+from\s|with\s+(recursive\s+)?\w+\s*(\([^)]*\)\s*)?as\s|lock\s+table\s|drop\s+table\s)|\bfrom\s+\w+\s+(\w+\s+)?(where|join)\s|\bwhere\s+\w+(\.\w+)?\s*=/i

/** Whether a file below `apps/server/src` may contain SQL: stores by name, and the folders for the database, backups and verification. */
export const isStore = (path: string): boolean =>
  /(^|[/-])store\.ts$|\/store\//.test(path) || /^(ports|backup|verify)\//.test(path)

/** Lines of a source text with SQL statements or fragments. Throws on a syntax error. */
export function statementsIn(path: string, text: string): number[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const places: number[] = []
  new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string' && SQL.test(value)) places.push(start)
    },
    TemplateLiteral: ({ quasis, start }) => {
      if (SQL.test(quasis.map(({ value }) => value.cooked).join('x'))) places.push(start)
    },
  }).visit(program)
  return places.map((place) => text.slice(0, place).split('\n').length)
}

if (import.meta.main) {
  const found = (await sourcesBelow(SERVER))
    .filter((path) => !isStore(path) && !isOfTests(path))
    .flatMap((path) =>
      statementsIn(path, readFileSync(join(SERVER, path), 'utf8')).map(
        (line) => `apps/server/src/${path}:${line}`,
      ),
    )
  for (const place of found) console.error(`SQL outside a store: ${place}`)
  process.exit(found.length > 0 ? 1 : 0)
}
