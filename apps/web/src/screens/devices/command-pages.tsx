import { type ReactNode, useMemo } from 'react'
import { ListPage } from '../../components/lists/list-page.tsx'
import { commands, commandsOfDevice } from './command-lists.tsx'
import { useFollowedCommands } from './use-followed-commands.ts'

/** Commands of one device, updated live. */
export function CommandsOfDevice({ reference, head }: { reference: string; head: ReactNode }) {
  useFollowedCommands(reference)
  const list = useMemo(() => commandsOfDevice(reference), [reference])
  return <ListPage list={list} head={head} />
}

/** Commands of all visible devices, updated live. */
export function Commands() {
  useFollowedCommands()
  return <ListPage list={commands} />
}
