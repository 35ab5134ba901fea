/** Where a key leads in a grid of `count` tiles, `across` in a row; undefined for keys that do not move (ARIA practices: grid). */
export function tileAfterKey(
  key: string,
  current: number,
  count: number,
  { across, rowsPerPage }: { across: number; rowsPerPage: number },
): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index))
  /** By whole rows: who is at the edge stays in their column. */
  const by = (rows: number) => {
    const next = current + rows * across
    return next >= 0 && next < count ? next : within(rows < 0 ? current % across : count - 1)
  }
  switch (key) {
    case 'ArrowRight':
    case 'j':
      return within(current + 1)
    case 'ArrowLeft':
    case 'k':
      return within(current - 1)
    case 'ArrowDown':
      return by(1)
    case 'ArrowUp':
      return by(-1)
    case 'PageDown':
      return by(rowsPerPage)
    case 'PageUp':
      return by(-rowsPerPage)
    case 'Home':
      return 0
    case 'End':
      return within(count - 1)
    default:
      return undefined
  }
}
