interface Stoppable {
  stop(): Promise<void>
}

let isTiny = false
const made = new Map<string, Promise<Stoppable>>()

/** Lets all benches use the same servers, archives and browsers from now on. */
export function shareResources(): void {
  isTiny = true
}

/** Makes a resource that its user stops. A tiny run makes one per name and stops it with `stopShared`. */
export async function shared<T extends Stoppable>(name: string, make: () => Promise<T>): Promise<T> {
  if (!isTiny) return make()
  const making = (made.get(name) as Promise<T> | undefined) ?? make()
  made.set(name, making)
  making.catch(() => made.delete(name))
  return { ...(await making), stop: async () => undefined }
}

/** Stops all resources, the last one first. */
export async function stopShared(): Promise<void> {
  for (const making of [...made.values()].toReversed())
    await (await making).stop().catch((error: unknown) => console.error(error))
}
