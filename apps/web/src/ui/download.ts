/** Hands `parts` to the browser as a download of this name and the day. */
export function download(
  parts: readonly string[],
  name: string,
  { type, ending }: { type: string; ending: string },
): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`
  link.click()
  // The download has its own hold on the data once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
