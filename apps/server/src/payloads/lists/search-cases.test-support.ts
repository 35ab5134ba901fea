import { FIXTURE_PEOPLE, type FixturePayload } from '../../testing/list-fixture.ts'

/** The numbers and names of a payload as text. */
export interface Stated {
  ends: (digits: string) => boolean
  whole: (digits: string) => boolean
  begins: (...words: string[]) => boolean
}
/** Search texts, and what they mean. */
export const SEARCHES: Readonly<Record<string, (stated: Stated) => boolean>> = {
  '0123': ({ ends }) => ends('0123'),
  '900123': ({ ends }) => ends('900123'),
  '00123': ({ ends }) => ends('00123'),
  '077 00 900-123': ({ ends }) => ends('7700900123'),
  '(0)7700 900123': ({ ends }) => ends('7700900123'),
  '+44 (0)7700.900123': ({ ends, whole }) => ends('447700900123') || whole('07700900123'),
  '0044 7700 900 123': ({ ends, whole }) => ends('447700900123') || whole('07700900123'),
  '+55 (11) 98400-0123': ({ ends }) => ends('5511984000123'),
  '\u202d٠١٢٣\u202c': ({ ends }) => ends('0123'),
  '9999': ({ ends }) => ends('9999'),
  '441': ({ whole }) => whole('441'),
  '123': ({ whole }) => whole('123'),
  '7': ({ begins }) => begins('7'),
  joa: ({ begins }) => begins('joa'),
  JOÃO: ({ begins }) => begins('joao'),
  joana: ({ begins }) => begins('joana'),
  'Melo jo': ({ begins }) => begins('melo', 'jo'),
  ' joana\u00a0melo ': ({ begins }) => begins('joana', 'melo'),
  zoe: ({ begins }) => begins('zoe'),
  oneill: ({ begins }) => begins('oneill'),
  Neill: ({ begins }) => begins('neill'),
  'o’n': ({ begins }) => begins('on'),
  annemarie: ({ begins }) => begins('annemarie'),
  'Anne-M': ({ begins }) => begins('anne', 'm'),
  مر: ({ begins }) => begins('مر'),
  'eleven 7': ({ begins }) => begins('eleven', '7'),
  'eleven 0123': ({ ends, begins }) => begins('eleven') && ends('0123'),
  person: ({ begins }) => begins('person'),
  quist: ({ begins }) => begins('quist'),
  b: ({ begins }) => begins('b'),
  'jo%': ({ begins }) => begins('jo'),
  xyz: () => false,
  '%': () => false,
  '_*?': () => false,
  '\u200f': () => false,
  ['x'.repeat(255)]: () => false,
}

/** The text of a payload for the reference implementation. */
export function readText(p: FixturePayload): Stated {
  const names = [
    ...p.names,
    ...p.numbers.filter((number) => number === 'A, B'),
    p.device_user_reference ?? '',
  ]
  names.push(FIXTURE_PEOPLE[Number(/^person (\d+)$/.exec(p.device_user_reference ?? '')?.[1] ?? 99)] ?? '')
  const plain = names.map((name) =>
    name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .toLowerCase(),
  )
  const words = [...plain, ...plain.map((name) => name.replace(/[’-]/g, ''))].flatMap((name) =>
    name.split(/[ ,’-]+/),
  )
  const numbers = p.numbers.filter((number) => number !== 'A, B').map((number) => number.replace(/\D/g, ''))
  return {
    ends: (digits) => numbers.some((number) => number.endsWith(digits)),
    whole: (digits) => numbers.includes(digits),
    begins: (...all) => all.every((beginning) => words.some((word) => word.startsWith(beginning))),
  }
}
