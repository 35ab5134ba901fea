/** What a part that cannot load may do; the modules that know register themselves, so that this file needs none. */
export const partRules: {
  /** Resolves when the server can be reached. */
  whenOnline?: () => Promise<void>
  /** Whether the server cannot be reached; the portal then waits for it. */
  noteIfLost?: () => Promise<boolean>
  /** Reloads the page where that helps; false: the part fails. `wasLost`: the connection failed meanwhile. */
  reload?: (error: unknown, wasLost: boolean) => boolean
} = {}

const loaded = new Set<string>()

/**
 * Loads a part of the portal; the build wraps every dynamic import with it. A part waits for the connection instead of
 * failing without it: Chromium never repeats an import that failed, so it must not be tried.
 * @param part distinguishes imports
 */
export async function loadPart<Module>(part: string, load: () => Promise<Module>): Promise<Module> {
  let wasLost = false
  for (;;) {
    if (!loaded.has(part)) await partRules.whenOnline?.()
    try {
      const module = await load()
      loaded.add(part)
      return module
    } catch (error) {
      const isLost = (await partRules.noteIfLost?.()) ?? false
      wasLost ||= isLost
      if (isLost) continue
      // While the page reloads, nothing of it may fail.
      if (partRules.reload?.(error, wasLost)) return new Promise(() => {})
      throw error
    }
  }
}
