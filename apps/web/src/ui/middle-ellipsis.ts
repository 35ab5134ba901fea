/** Shortens `value` to `length` characters in the middle: both ends distinguish references. */
export function middleEllipsis(value: string, length: number): string {
  const characters = [...value]
  if (characters.length <= length) return value
  const kept = Math.max(2, length - 1)
  const tail = Math.floor(kept / 2)
  return `${characters.slice(0, kept - tail).join('')}…${characters.slice(-tail).join('')}`
}
