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

/** Target tile of a key in a grid of `count` tiles, `across` per row; undefined for other keys (ARIA practices: grid). */
export function tileAfterKey(
  key: string,
  current: number,
  count: number,
  { across, rowsPerPage }: { across: number; rowsPerPage: number },
): number | undefined {
  const within = (index: number) => Math.max(0, Math.min(count - 1, index))
  /** Moves by whole rows: the column stays. */
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
