/**
 * Letters of other scripts, and of Latin, that look like plain Latin letters: common ones only, as UTS 39 has some
 * six thousand. Each key is the plain letter, its value the letters that look like it.
 */
const DRAWN_ALIKE: Readonly<Record<string, string>> = {
  a: 'аАαΑɑᴀ',
  b: 'вВьЬβΒʙƅ',
  c: 'сСϲϹᴄⅽ',
  d: 'ԁԀđᴅժ',
  e: 'еЕεΕєɛᴇ',
  f: 'ƒϝք',
  g: 'ɡԍԌցɢ',
  h: 'нНһҺΗհʜħ',
  i: 'іІιΙıɪɩӏӀ1|lїі',
  j: 'јЈᴊϳ',
  k: 'кКκΚᴋ',
  m: 'мМΜᴍ',
  n: 'ΝηпոռɴИи',
  o: 'оОοΟσօՕ0øᴏ',
  p: 'рРρΡᴘ',
  q: 'ԛԚգ',
  r: 'гГʀяЯ',
  s: 'ѕЅꜱƽ',
  t: 'тТτΤᴛŧ',
  u: 'υսՍцЦᴜ',
  v: 'νѵѴᴠ',
  w: 'ԝԜωшШᴡ',
  x: 'хХχΧ×',
  y: 'уУүҮΥγʏ',
  z: 'ᴢΖ',
}
const DRAWN = new Map(
  Object.entries(DRAWN_ALIKE).flatMap(([letter, others]) =>
    Array.from(others, (other) => [other, letter] as const),
  ),
)
/** Pairs of letters that look like one. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['rn', 'm'],
  ['vv', 'w'],
]

/**
 * The skeleton of a name: without differences of case, width, accents, spaces, punctuation, invisible characters and
 * look-alike letters. Readers can confuse two names with the same skeleton.
 */
export function getSkeleton(name: string): string {
  // Letter by letter before the case is folded: a Greek capital Eta looks like H, the small one like n.
  const drawn = Array.from(name.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''))
    .map((letter) => DRAWN.get(letter) ?? letter.toLowerCase())
    .map((letter) => DRAWN.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
  return PAIRS.reduce((text, [pair, letter]) => text.replaceAll(pair, letter), drawn)
}
