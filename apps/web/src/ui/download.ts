/** Downloads `parts` as a file of this name and today's date. */
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
  // A started download keeps its own reference to the data.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
