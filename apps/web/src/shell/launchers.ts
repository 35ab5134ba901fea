/** Permissions that open a page: its own, and each tab's for that tab. */
interface Opened {
  action: string
  tabs?: Readonly<Record<string, string>>
}

/** Alternative permissions for a page: the requested tab's, or without a tab its own or any tab's. */
export const launchers = (page: Opened, tab?: string): readonly string[] => {
  const ofTab = tab === undefined ? undefined : page.tabs?.[tab]
  return ofTab === undefined ? [page.action, ...Object.values(page.tabs ?? {})] : [ofTab]
}
