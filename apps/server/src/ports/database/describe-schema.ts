import type pg from 'pg'

/** SQL type to the TypeScript type in which our pools return it. */
const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  char: 'string',
  date: 'string',
  float8: 'number',
  inet: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  // Numeric may exceed what a number holds.
  numeric: 'string',
  text: 'string',
  timestamptz: 'Date',
  uuid: 'string',
}

interface Column {
  table_name: string
  column_name: string
  type: string
  is_nullable: boolean
  has_default: boolean
  is_generated: boolean
}

/**
 * TypeScript for the tables of schema public, as the migrations made them: the text of `schema.ts`. A test compares
 * the two, and writes the file anew when run with UPDATE_SCHEMA=1.
 */
export async function describeSchema(client: pg.ClientBase | pg.Pool): Promise<string> {
  const { rows } = await client.query<Column>(`
    select c.relname as table_name, a.attname as column_name, t.typname as type, not a.attnotnull as is_nullable,
      a.atthasdef as has_default, a.attidentity <> '' or a.attgenerated <> '' as is_generated
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and a.attnum > 0 and not a.attisdropped
    order by c.relname collate "C", a.attnum`)
  const tables = Map.groupBy(rows, (column) => column.table_name)
  const interfaces = [...tables].map(
    ([table, columns]) => `export interface ${pascalCase(table)}Table {\n${columns.map(line).join('')}}\n`,
  )
  const body = interfaces.join('\n')
  const kysely = ['Generated', 'GeneratedAlways'].filter((name) => body.includes(`${name}<`))
  const ours = ['Json', 'JsonOrDefault', 'JsonOrNull'].filter((name) => body.includes(`: ${name}\n`))
  return [
    '// Made from the migrations by describe-schema.ts: change them, then run its test with UPDATE_SCHEMA=1.\n',
    kysely.length > 0 ? `import type { ${kysely.join(', ')} } from 'kysely'\n` : '',
    ours.length > 0 ? `import type { ${ours.join(', ')} } from './column-types.ts'\n` : '',
    `\n${body}\n/** Tables by name, for the query builder. */\nexport interface Schema {\n`,
    ...[...tables.keys()].map((table) => `  ${table}: ${pascalCase(table)}Table\n`),
    '}\n',
  ].join('')
}

function line(column: Column): string {
  return `  ${column.column_name}: ${typeOf(column)}\n`
}

function typeOf({ table_name, column_name, type, is_nullable, has_default, is_generated }: Column): string {
  if (type === 'jsonb') return is_nullable ? 'JsonOrNull' : has_default ? 'JsonOrDefault' : 'Json'
  const isArray = type.startsWith('_')
  const element = TYPES[isArray ? type.slice(1) : type]
  if (!element)
    throw new Error(
      `${table_name}.${column_name}: no TypeScript type for ${type}, add it to describe-schema.ts`,
    )
  const value = `${element}${isArray ? '[]' : ''}${is_nullable ? ' | null' : ''}`
  if (is_generated) return `GeneratedAlways<${value}>`
  return has_default ? `Generated<${value}>` : value
}

function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
