import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { commands, commandsOfDevice } from './command-lists.tsx'
import { useFollowedCommands } from './use-followed-commands.ts'

/** What one phone was told, as it stands now. */
export function CommandsOfDevice({ reference, head }: { reference: string; head: ReactNode }) {
  useFollowedCommands(reference)
  const list = useMemo(() => commandsOfDevice(reference), [reference])
  return <ListPage list={list} head={head} />
}

/** What all phones within reach were told, as it stands now. */
export function Commands() {
  useFollowedCommands()
  return <ListPage list={commands} />
}
