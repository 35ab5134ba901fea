/** What opens a page: its own permission, and that of each tab for that tab alone. */
interface Opened {
  action: string
  tabs?: Readonly<Record<string, string>>
}

/** The permissions of which one opens a page: that of the tab that is asked for, and without one its own or that of any tab. */
export const launchers = (page: Opened, tab?: string): readonly string[] => {
  const ofTab = tab === undefined ? undefined : page.tabs?.[tab]
  return ofTab === undefined ? [page.action, ...Object.values(page.tabs ?? {})] : [ofTab]
}
