/**
 * Letters of other scripts, and of Latin, that are drawn like the letters of a name in plain Latin: those that people have at hand, not
 * all of Unicode (UTS 39 has some six thousand). Pairs: what it looks like, and what does.
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
 * What is left of a name for somebody who glances at it: no difference of case, width, accents, spaces, punctuation and invisible
 * characters, nor of letters that are drawn alike. Two names with the same skeleton can be taken for each other.
 */
export function skeletonOf(name: string): string {
  // Letter by letter before the case is folded: a Greek capital Eta looks like H, the small one like n.
  const drawn = Array.from(name.normalize('NFKD').replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''))
    .map((letter) => DRAWN.get(letter) ?? letter.toLowerCase())
    .map((letter) => DRAWN.get(letter) ?? letter)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
  return PAIRS.reduce((text, [pair, letter]) => text.replaceAll(pair, letter), drawn)
}
