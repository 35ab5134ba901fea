/** Target row of a key in a list of `count` rows; undefined for other keys (ARIA practices: grid). */
export function rowAfterKey(
  key: string,
  current: number,
  count: number,
  rowsPerPage: number,
): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index))
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return within(current + 1)
    case 'ArrowUp':
    case 'k':
      return within(current - 1)
    case 'PageDown':
      return within(current + rowsPerPage)
    case 'PageUp':
      return within(current - rowsPerPage)
    case 'Home':
      return 0
    case 'End':
      return within(count - 1)
    default:
      return undefined
  }
}
